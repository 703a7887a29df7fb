//! What clients have stored, as it is kept over restarts (`sa_db_file`, `sa_db_dump`).

use lk_config::sa_db::{self, GuidBlock, Inform, SaDb};
use lk_wire::sa::InformInfoRecord;
use lk_wire::{Guid, Lid};

use super::{Sa, Served, mcmember};
use crate::io::GsiAddress;
use crate::time::Instant;

/// The Q_Key of the general services (IBA 10.2.4.1), with which OpenSM sends reports if it reads
/// what is written here.
const GSI_Q_KEY: u32 = 0x8001_0000;
/// Nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;

/// The time in seconds since 1970, as far as who runs this has said when it started.
pub(super) fn wall_time(served: &Served, now: Instant) -> u64 {
    served.view.settings.started + now.0 / SECOND
}

impl Sa {
    /// All that clients have stored.
    #[must_use]
    pub fn database(&self) -> SaDb {
        let mut db = SaDb::default();
        let Some(served) = &self.served else { return db };
        for (base, blocks) in self.aliases.ports() {
            let Some(port) = served.index.port_by_guid(base) else { continue };
            for block in 0..blocks {
                let mut record = lk_wire::sa::GuidInfoRecord::default();
                record.set_lid(served.index.lid(port).0);
                record.set_block(block);
                record.set_table(&self.aliases.block(base, block));
                db.guids.push(GuidBlock { base, record });
            }
        }
        for subscription in self.subscriptions.iter() {
            let mut record = InformInfoRecord::default();
            record.set_subscriber_gid(subscription.subscriber);
            record.set_enumeration(subscription.number);
            record.set_info(&subscription.info);
            record.set_qpn(subscription.to.qp);
            db.informs.push(Inform {
                record,
                lid: subscription.to.lid.0,
                path_bits: subscription.to.path_bits,
                qp: subscription.to.qp,
                qkey: GSI_Q_KEY,
                pkey_index: subscription.to.pkey_index,
                sl: subscription.to.sl.0,
            });
        }
        let prefix = served.view.settings.options.subnet_prefix;
        db.groups =
            self.groups.iter().map(|(mgid, group)| mcmember::kept(mgid, group, prefix)).collect();
        db.services = self
            .services
            .iter()
            .map(|service| sa_db::Service {
                record: service.record,
                modified: service.modified as u32,
                lease_period: service.record.lease(),
            })
            .collect();
        db
    }

    /// Takes in what an earlier run has stored. What has ended meanwhile, and what belongs to
    /// ports that are not there, is left out.
    pub(super) fn restore(&mut self, now: Instant, db: &SaDb) {
        let Some(served) = &self.served else { return };
        let is_port = |guid: Guid| served.index.port_by_guid(guid).is_some();
        for block in db.guids.iter().filter(|b| is_port(b.base)) {
            let first = usize::from(block.record.block()) * super::aliases::BLOCK;
            for (index, guid) in block.record.table().iter().enumerate() {
                if first + index > 0 && guid.0 != 0 {
                    self.aliases.give(block.base, first + index, guid, is_port);
                }
            }
        }
        for group in &db.groups {
            let there = |guid| is_port(guid) || self.aliases.owner(guid).is_some_and(is_port);
            mcmember::restore(&mut self.groups, group, there);
        }
        for inform in &db.informs {
            let Some(port) = served.index.port_by_guid(inform.record.subscriber_gid().guid) else {
                continue;
            };
            // The LID may be another one by now.
            let lid = match served.index.port_by_lid(Lid(inform.lid)) {
                Some(owner) if owner == port => Lid(inform.lid),
                _ => served.index.lid(port),
            };
            let to = GsiAddress {
                lid,
                qp: inform.qp,
                sl: lk_wire::Sl(inform.sl),
                pkey_index: inform.pkey_index,
                path_bits: inform.path_bits,
                gid: None,
            };
            self.subscriptions.subscribe(served.gid(port), to, &inform.record.info(), false);
        }
        let today = wall_time(served, now);
        // The newest stands first.
        for service in db.services.iter().rev() {
            self.services.restore(now, today, service);
        }
    }

    /// All that clients have stored, if that has changed since it was last asked for.
    pub fn changed_database(&mut self, now: Instant) -> Option<SaDb> {
        self.expire(now);
        self.served.as_ref()?;
        std::mem::take(&mut self.changed).then(|| self.database())
    }
}
