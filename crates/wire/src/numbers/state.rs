//! States of ports and of subnet managers.

use crate::field::named;

named! {
    /// State of a port's link layer (IBA 14.2.5.6, 7.2).
    PortState: u8 {
        NO_CHANGE = 0, "NoChange", "In a Set: leave it as it is.";
        DOWN = 1, "Down", "The physical link is down.";
        INIT = 2, "Initialize", "Only SMPs pass.";
        ARMED = 3, "Armed", "Data comes in, none goes out.";
        ACTIVE = 4, "Active", "Data passes.";
    }
}

named! {
    /// State of a port's physical layer (IBA 14.2.5.6).
    PhysState: u8 {
        NO_CHANGE = 0, "NoChange", "In a Set: leave it as it is.";
        SLEEP = 1, "Sleep", "Waits without asking.";
        POLLING = 2, "Polling", "Looks for a peer.";
        DISABLED = 3, "Disabled", "Switched off.";
        TRAINING = 4, "PortConfigurationTraining", "Negotiates with its peer.";
        LINK_UP = 5, "LinkUp", "The physical link is up.";
        ERROR_RECOVERY = 6, "LinkErrorRecovery", "Trains again after errors.";
        PHY_TEST = 7, "PhyTest", "Under test.";
    }
}

named! {
    /// State of a subnet manager (IBA 14.2.5.13).
    SmState: u8 {
        NOT_ACTIVE = 0, "not active", "It is not a candidate.";
        DISCOVERING = 1, "discovering", "It looks at the fabric.";
        STANDBY = 2, "standby", "Another one is the master; it is ready to take over.";
        MASTER = 3, "master", "It manages the subnet.";
    }
}
