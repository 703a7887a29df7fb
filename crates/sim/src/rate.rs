//! Width and speed of a link: what the two ends may use, and what the cable allows.

use lk_fabric::{Fabric, LinkRate, NodeId};
use lk_wire::{MlnxExtPortInfo, PortInfo};

/// Widths by number of lanes: the bit in LinkWidth masks.
const WIDTHS: [u8; 5] = [1, 16, 2, 4, 8];
const WIDTH_1X: u8 = 1;
const WIDTH_2X: u8 = 16;
const WIDTH_4X: u8 = 2;
const SPEED_QDR: u8 = 4;
/// The fastest extended speed that LinkSpeedExtActive can say in its four bits.
const EXT_FASTEST: u8 = 8;
const EXT_HDR: u8 = 4;

/// LinkSpeedExtEnabled: no extended speed (IBA 14.2.5.6).
pub(crate) const EXT_DISABLED: u8 = 30;

/// The place of a width among [`WIDTHS`]; widths that are not known count as 4x.
fn lanes(width: u8) -> usize {
    WIDTHS.iter().position(|w| *w == width).unwrap_or(2)
}

/// The most that a link can do: what the fabric's file says it runs at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ceiling {
    lanes: usize,
    speed: u8,
    speed_ext: u8,
    fdr10: bool,
}

impl Ceiling {
    /// The ceiling of a link. What the file does not say is 4x and QDR.
    pub(crate) fn new(rate: LinkRate) -> Self {
        let speed_ext = rate.speed_ext.min(EXT_FASTEST);
        let unknown = rate.speed == 0 || speed_ext != 0 || rate.fdr10;
        Self {
            lanes: lanes(if rate.width == 0 { WIDTH_4X } else { rate.width }),
            speed: if unknown { SPEED_QDR } else { rate.speed.min(SPEED_QDR) },
            speed_ext,
            fdr10: rate.fdr10,
        }
    }
}

impl Ceiling {
    /// The ceiling of a link whose ends may be described differently: the lower of each. An end
    /// that the file says nothing of does not count.
    pub(crate) fn of_link(a: LinkRate, b: LinkRate) -> Self {
        let unknown = LinkRate::default();
        if a == unknown || b == unknown {
            return Self::new(if a == unknown { b } else { a });
        }
        let (a, b) = (Self::new(a), Self::new(b));
        Self {
            lanes: a.lanes.min(b.lanes),
            speed: a.speed.min(b.speed),
            speed_ext: a.speed_ext.min(b.speed_ext),
            fdr10: a.fdr10 && b.fdr10,
        }
    }

    /// Whether the link can run at the vendor's FDR10.
    pub(crate) fn fdr10(&self) -> bool {
        self.fdr10
    }
}

/// The masks of widths and speeds that a port supports or has enabled.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Hardware {
    pub(crate) widths: u8,
    pub(crate) speeds: u8,
    pub(crate) speeds_ext: u8,
    pub(crate) fdr10: bool,
}

impl Hardware {
    /// What all ports of a node can do: 4x, and everything up to its fastest and its widest link.
    /// A link that is slower than the others of its node is thus a degraded one, as on a real
    /// fabric.
    pub(crate) fn of_node(fabric: &Fabric, node: NodeId) -> Self {
        let mut best = Ceiling::new(LinkRate { speed: 1, ..LinkRate::default() });
        let mut cabled = false;
        for port in fabric.external_ports(node).map(|p| fabric.port(p)) {
            if port.peer.is_none() {
                continue;
            }
            cabled = true;
            let this = Ceiling::new(port.rate);
            best.lanes = best.lanes.max(this.lanes);
            best.speed = best.speed.max(this.speed);
            best.speed_ext = best.speed_ext.max(this.speed_ext);
            best.fdr10 |= this.fdr10;
        }
        if !cabled {
            best = Ceiling::new(LinkRate::default());
        }
        let mut widths = WIDTHS[..=best.lanes].iter().fold(0, |mask, w| mask | w) | WIDTH_1X;
        if best.speed_ext < EXT_HDR {
            widths &= !WIDTH_2X;
        }
        Self {
            widths,
            speeds: up_to(best.speed),
            speeds_ext: up_to(best.speed_ext),
            fdr10: best.fdr10,
        }
    }

    /// What a port has enabled.
    pub(crate) fn enabled(info: &PortInfo, mlnx: Option<&MlnxExtPortInfo>) -> Self {
        Self {
            widths: info.link_width_enabled(),
            speeds: info.link_speed_enabled(),
            speeds_ext: match info.link_speed_ext_enabled() {
                EXT_DISABLED => 0,
                enabled => enabled & info.link_speed_ext_supported(),
            },
            fdr10: mlnx.is_some_and(|m| m.link_speed_enabled() & MlnxExtPortInfo::FDR10 != 0),
        }
    }

    /// What the link comes up with: the widest and the fastest that both ends have enabled and
    /// the cable carries. `None` when there is no such width or speed; the link stays down.
    pub(crate) fn negotiate(&self, other: &Self, ceiling: &Ceiling) -> Option<LinkRate> {
        let widths = self.widths & other.widths;
        let width = WIDTHS[..=ceiling.lanes].iter().rev().find(|w| widths & **w != 0)?;
        let common = |a: u8, b: u8, top: u8| highest(a & b & up_to(top));
        let ext = common(self.speeds_ext, other.speeds_ext, ceiling.speed_ext);
        let fdr10 = ext == 0 && self.fdr10 && other.fdr10 && ceiling.fdr10;
        let plain = common(self.speeds, other.speeds, ceiling.speed);
        let speed = if ext != 0 || fdr10 { SPEED_QDR } else { plain };
        (speed != 0).then_some(LinkRate { width: *width, speed, speed_ext: ext, fdr10 })
    }
}

/// The mask of all speeds up to the fastest of a mask.
fn up_to(speed: u8) -> u8 {
    speed.checked_ilog2().map_or(0, |bit| u8::MAX >> (7 - bit))
}

/// The highest bit of a mask.
fn highest(mask: u8) -> u8 {
    mask.checked_ilog2().map_or(0, |bit| 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masks(widths: u8, speeds: u8, speeds_ext: u8) -> Hardware {
        Hardware { widths, speeds, speeds_ext, fdr10: false }
    }

    #[test]
    fn masks_of_speeds() {
        assert_eq!([0, 1, 2, 4, 8, 6].map(up_to), [0, 1, 3, 7, 15, 7]);
        assert_eq!([0, 1, 3, 7, 0x80].map(highest), [0, 1, 2, 4, 0x80]);
        assert_eq!(up_to(0x80), 0xFF);
    }

    #[test]
    fn the_best_that_both_ends_and_the_cable_know() {
        let hdr = LinkRate { width: 2, speed: 4, speed_ext: 4, fdr10: false };
        let cable = Ceiling::new(hdr);
        let all = masks(0x1F, 7, 15);
        assert_eq!(all.negotiate(&all, &cable), Some(hdr));
        let edr = masks(3, 7, 3);
        assert_eq!(all.negotiate(&edr, &cable), Some(LinkRate { speed_ext: 2, ..hdr }));
        let qdr = masks(3, 7, 0);
        assert_eq!(all.negotiate(&qdr, &cable), Some(LinkRate { speed_ext: 0, ..hdr }));
        let ddr_1x = masks(1, 3, 0);
        let slow = LinkRate { width: 1, speed: 2, speed_ext: 0, fdr10: false };
        assert_eq!(all.negotiate(&ddr_1x, &cable), Some(slow));
    }

    #[test]
    fn no_common_width_or_speed_no_link() {
        let cable = Ceiling::new(LinkRate::default());
        let all = masks(0x1F, 7, 15);
        assert_eq!(all.negotiate(&masks(0, 7, 0), &cable), None);
        assert_eq!(all.negotiate(&masks(2, 0, 8), &cable), None);
        // A cable that the file calls 1x never carries 4x.
        let narrow = Ceiling::new(LinkRate { width: 1, ..LinkRate::default() });
        assert_eq!(all.negotiate(&masks(2, 7, 0), &narrow), None);
    }

    #[test]
    fn fdr10_needs_both_ends_and_the_cable() {
        let fdr10 = Hardware { fdr10: true, ..masks(3, 7, 0) };
        let cable = Ceiling::new(LinkRate { width: 2, speed: 4, speed_ext: 0, fdr10: true });
        assert!(fdr10.negotiate(&fdr10, &cable).unwrap().fdr10);
        assert!(!fdr10.negotiate(&masks(3, 7, 0), &cable).unwrap().fdr10);
        let plain = Ceiling::new(LinkRate::default());
        assert!(!fdr10.negotiate(&fdr10, &plain).unwrap().fdr10);
    }
}
