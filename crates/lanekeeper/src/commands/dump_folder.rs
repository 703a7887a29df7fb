//! A folder with opensm's dump files.

use std::path::Path;

use anyhow::anyhow;
use lk_diag::{Diagnostics, SourceFile};
use lk_fabric::Fabric;
use lk_fabric::dumps::{mcfdbs, sl2vl, subnet_lst, unicast};

use crate::failure::Failure;
use crate::{input, terminal};

/// The files of a folder. What is wrong in them is printed as they are read.
pub(crate) struct DumpFolder<'a> {
    folder: &'a Path,
    /// Whether one of them held something wrong.
    pub(crate) flawed: bool,
}

impl<'a> DumpFolder<'a> {
    /// A folder of which nothing was read yet.
    pub(crate) const fn new(folder: &'a Path) -> Self {
        Self { folder, flawed: false }
    }

    fn open(&self, name: &str) -> Result<SourceFile, Failure> {
        input::source(&self.folder.join(name))
    }

    fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    fn show(&mut self, said: &Diagnostics) {
        terminal::show(said);
        self.flawed |= said.has_errors();
    }

    /// The fabric of opensm-subnet.lst.
    ///
    /// # Errors
    /// No such file, or no switch in it.
    pub(crate) fn fabric(&mut self) -> Result<Fabric, Failure> {
        let (list, said) = subnet_lst::read(&self.open("opensm-subnet.lst")?);
        self.show(&said);
        if list.fabric.switches().is_empty() {
            let name = self.folder.join("opensm-subnet.lst");
            return Err(anyhow!("{} names no switch", name.display()).into());
        }
        Ok(list.fabric)
    }

    /// The forwarding tables of opensm.fdbs, or of opensm-lfts.dump where that is missing.
    ///
    /// # Errors
    /// Neither is there.
    pub(crate) fn unicast(&mut self) -> Result<Vec<unicast::Table>, Failure> {
        let fdbs = self.has("opensm.fdbs") || !self.has("opensm-lfts.dump");
        let source = self.open(if fdbs { "opensm.fdbs" } else { "opensm-lfts.dump" })?;
        let (tables, said) = unicast::read(&source);
        self.show(&said);
        Ok(tables)
    }

    /// The multicast forwarding tables of opensm.mcfdbs; none where it is missing.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn multicast(&mut self) -> Result<Vec<mcfdbs::SwitchTable>, Failure> {
        if !self.has("opensm.mcfdbs") {
            return Ok(Vec::new());
        }
        let (tables, said) = mcfdbs::read(&self.open("opensm.mcfdbs")?);
        self.show(&said);
        Ok(tables)
    }

    /// The SL2VL tables of opensm-sl2vl.dump; `None` where it is missing.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn sl2vl(&mut self) -> Result<Option<Vec<sl2vl::PortTables>>, Failure> {
        if !self.has("opensm-sl2vl.dump") {
            return Ok(None);
        }
        let (tables, said) = sl2vl::read(&self.open("opensm-sl2vl.dump")?);
        self.show(&said);
        Ok(Some(tables))
    }
}
