//! The codes of the diagnostics about configuration files. A code keeps its meaning for ever.

use lk_diag::Code;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $id:literal, $title:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: Code = Code::new($id, $title);)+

        /// All of them, in the order of their numbers.
        pub const ALL: &[Code] = &[$($name),+];
    };
}

codes! {
    /// A word that is no option of any OpenSM.
    UNKNOWN_OPTION = "CF001", "unknown option";
    /// An option that only NVIDIA's OpenSM has.
    VENDOR_OPTION = "CF002", "option of NVIDIA's OpenSM only";
    /// A name that is known to be wrong: removed, renamed or made up.
    WRONG_NAME = "CF003", "not an option any more, or never one";
    /// A value that does not fit the option; the option keeps what it had.
    BAD_VALUE = "CF004", "value refused";
    /// A boolean that is neither TRUE nor FALSE, which OpenSM reads as FALSE.
    NOT_A_BOOLEAN = "CF005", "boolean read as FALSE";
    /// An option without a value.
    NO_VALUE = "CF006", "no value";
    /// A value that is read as something else than it looks like.
    READ_OTHERWISE = "CF007", "value read otherwise than written";
    /// `name = value` or `name=value`, where OpenSM wants a blank.
    EQUALS_SIGN = "CF008", "equals sign between option and value";
    /// A line of more than 1,022 bytes, which OpenSM cuts in pieces.
    LONG_LINE = "CF009", "line too long";
    /// A `#` inside quotes starts a comment all the same.
    COMMENT_IN_QUOTES = "CF010", "comment inside quotes";
    /// A NUL, after which OpenSM does not see the rest of the line.
    NUL = "CF011", "NUL in a line";
    /// Bytes that are not UTF-8.
    NOT_UTF8 = "CF012", "not UTF-8";
    /// An option is given twice; the last one counts.
    SET_TWICE = "CF013", "option given twice";
    /// An option that is read and kept but not acted on yet.
    NOT_ACTED_ON = "CF014", "option not acted on yet";
    /// An option that can have no effect.
    NO_EFFECT = "CF015", "option without effect";
    /// A value that is replaced because it is out of range.
    CORRECTED = "CF016", "value corrected";
    /// An arbitration list that holds something else than it looks like.
    VLARB_LIST = "CF017", "faulty VL arbitration list";
    /// An SL2VL list that holds something else than it looks like.
    SL2VL_LIST = "CF018", "faulty SL2VL list";
    /// QoS options are set and QoS is off.
    QOS_OFF = "CF019", "QoS options while QoS is off";
    /// What a code stands for.
    CODE_MEANING = "CF020", "meaning of a code";
    /// A routing engine that is not there.
    ENGINE = "CF021", "routing engine not available";
    /// A value at which OpenSM crashes or fails.
    OPENSM_FAILS = "CF022", "OpenSM cannot stand this value";
    /// An option that changed in the file and is only read at the start.
    NEEDS_RESTART = "CF023", "change needs a restart";
    /// A line that was removed, which does not undo it.
    LINE_REMOVED = "CF024", "removed line stays in force";
    /// A value that the file's grammar cannot express.
    NOT_WRITABLE = "CF025", "value cannot be written";
    /// A file that cannot be read.
    UNREADABLE = "CF026", "file cannot be read";
    /// A value that is legal and seldom wise.
    UNWISE = "CF027", "unwise value";
    /// A value that OpenSM takes for another one than is in force here.
    OPENSM_OTHERWISE = "CF028", "OpenSM takes this otherwise";
    /// A file that is of another kind than the one it was given for.
    WRONG_FILE = "CF029", "another kind of file";
    /// A line of a GUID file that cannot be read; reading ends there.
    GUID_LINE = "CF030", "bad line in a GUID file";
    /// A GUID that is read otherwise than it looks like.
    GUID_OTHERWISE = "CF031", "GUID read otherwise than written";
    /// An entry that an earlier line already made.
    GUID_TWICE = "CF032", "GUID given twice";
    /// A line of more than 255 bytes, which OpenSM cuts in pieces.
    GUID_LONG_LINE = "CF033", "line too long in a GUID file";
    /// The text after a GUID is not what this file wants.
    GUID_REST = "CF034", "bad entry in a GUID file";
    /// A cache file is broken.
    CACHE_FORMAT = "CF040", "broken cache file";
    /// A record of a cache file that is not used.
    CACHE_RECORD = "CF041", "cache record not used";
    /// A key that occurs twice in a cache file; the first counts.
    CACHE_TWICE = "CF042", "cache key given twice";
    /// A record of the subnet administration's file that cannot be read; reading ends there.
    SA_DB = "CF043", "broken sa_db_file";
    /// A line of torus-2QoS.conf for which the engine does not route by the file.
    TORUS_LINE = "CF050", "torus-2QoS.conf cannot be used";
    /// A part of torus-2QoS.conf that is ignored.
    TORUS_UNUSED = "CF051", "not used in torus-2QoS.conf";
    /// Two seeds of torus-2QoS.conf name the same switch.
    TORUS_SEED_SHARED = "CF052", "seeds share a switch";
    /// A fault for which OpenSM loses the whole QoS policy, and for which it is not taken here.
    POLICY_REFUSED = "CF060", "QoS policy cannot be used";
    /// A part of the QoS policy that has no effect.
    POLICY_UNUSED = "CF061", "no effect in the QoS policy";
    /// Something at which only OpenSM stumbles: it would lose the whole policy.
    POLICY_OPENSM_REFUSES = "CF062", "OpenSM would not read the QoS policy";
    /// A value of the QoS policy with which the queries that it is for fail.
    POLICY_FAILS = "CF063", "queries fail by the QoS policy";
    /// A name in the QoS policy that is not written as it is used.
    POLICY_NAME = "CF064", "name read otherwise in the QoS policy";
    /// The section qos-setup, which nothing ever applies.
    POLICY_SETUP = "CF065", "qos-setup is never applied";
    /// A name, GUID, key or partition of the QoS policy that the subnet does not have.
    POLICY_ABSENT = "CF066", "not in the subnet";
    /// A line of prefix-routes.conf that is left out.
    PREFIX_LINE = "CF070", "bad line in prefix-routes.conf";
    /// A line of prefix-routes.conf that can never be reached, or words that are not used.
    PREFIX_UNUSED = "CF071", "not used in prefix-routes.conf";
    /// A fault of partitions.conf for which OpenSM throws the whole file away.
    PARTITIONS_REFUSED = "CF080", "partitions.conf cannot be used";
    /// A word of partitions.conf that is read as something else than it looks like.
    PARTITIONS_OTHERWISE = "CF081", "read otherwise in partitions.conf";
    /// A part of partitions.conf that is ignored.
    PARTITIONS_IGNORED = "CF082", "ignored in partitions.conf";
    /// A partition whose members cannot talk, or not as it looks.
    PARTITIONS_EFFECT = "CF083", "effect of partitions.conf";
    /// Something at which only OpenSM stumbles: it would throw the whole file away.
    PARTITIONS_OPENSM_REFUSES = "CF084", "OpenSM would not read partitions.conf";
    /// A QoS option that torus-2QoS overrides, or that goes badly with its lanes.
    TORUS_QOS = "CF095", "QoS option at odds with torus-2QoS";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn numbers_ascend() {
        assert!(ALL.windows(2).all(|pair| pair[0].id < pair[1].id));
    }
}
