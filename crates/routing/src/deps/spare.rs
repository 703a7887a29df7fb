//! Lanes that are not needed, given to those that are full.

use lk_wire::Lid;

/// Blocks of SLs: each lane that is needed becomes one or more.
///
/// Any part of a lane's paths is as free of circles as the lane, so they can be spread at will.
/// It goes by destination: packets to one LID that wait do not hold up those to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Spare {
    /// For each lane its first SL; one more at the end.
    first: Vec<u8>,
}

impl Spare {
    /// Spreads lanes with so many paths over `have` SLs. Each one to spare goes to the lane that
    /// has the most paths for each of its SLs.
    pub(crate) fn new(paths: &[u64], have: usize) -> Self {
        let mut widths = vec![1_u64; paths.len()];
        for _ in paths.len()..have {
            let share = |lane: &usize| paths[*lane] / widths[*lane];
            let fullest = (0..paths.len()).max_by_key(|l| (share(l), std::cmp::Reverse(*l)));
            if let Some(lane) = fullest {
                widths[lane] += 1;
            }
        }
        let mut first = vec![0];
        for width in widths {
            first.push(first[first.len() - 1] + width as u8);
        }
        Self { first }
    }

    /// The SL of a lane's path to a LID.
    pub(crate) fn sl(&self, lane: u8, lid: Lid) -> u8 {
        let lane = usize::from(lane);
        let (first, end) = (self.first[lane], self.first[lane + 1]);
        first + (lid.0 % u16::from(end - first)) as u8
    }

    /// How many lanes are needed and used, as sentences.
    pub(crate) fn notes(&self, need: usize, qos: bool) -> Vec<String> {
        let used = self.first[self.first.len() - 1];
        let lanes = if need == 1 { "lane" } else { "lanes" };
        let mut notes = vec![format!("it takes {need} {lanes} to be free of deadlocks")];
        if usize::from(used) > need {
            notes.push(format!("traffic is spread over {used} lanes"));
        }
        if need > 1 && !qos {
            notes.push(
                "QoS is off, so nobody writes the SL2VL tables that would keep the lanes apart: \
                 start with -Q or set qos to TRUE"
                    .to_owned(),
            );
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_to_spare_go_to_the_fullest() {
        let spare = Spare::new(&[100, 10], 5);
        let sls = |lane| (0..8).map(|lid| spare.sl(lane, Lid(lid))).collect::<Vec<_>>();
        assert_eq!(sls(0), [0, 1, 2, 3, 0, 1, 2, 3]);
        assert_eq!(sls(1), [4; 8]);
        assert_eq!(spare.notes(2, true).len(), 2);
        assert!(spare.notes(2, false)[2].contains("-Q"));
        let none = Spare::new(&[5, 5], 2);
        assert_eq!((none.sl(0, Lid(3)), none.sl(1, Lid(3))), (0, 1));
        assert_eq!(none.notes(2, true).len(), 1);
    }
}
