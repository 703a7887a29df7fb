//! The Rust types that fields of [`super::Options`] have, as values.

use lk_wire::{Guid, MKey};

use super::congestion::{CctEntry, CctTable, PerSl, PortMask};
use super::value::{Kind, Value};

/// A Rust type that a field of [`super::Options`] can have.
pub(super) trait Field {
    /// The kind of its values.
    const KIND: Kind;
    /// The value of the field.
    fn value(&self) -> Value;
    /// Takes a value over; one of another kind changes nothing.
    fn take(&mut self, value: &Value);
}

macro_rules! plain_field {
    ($($ty:ty, $kind:ident, |$v:ident| $to:expr, |$w:ident| $from:expr;)*) => {$(
        impl Field for $ty {
            const KIND: Kind = Kind::$kind;
            fn value(&self) -> Value {
                let $v = self;
                Value::$kind($to)
            }
            fn take(&mut self, value: &Value) {
                if let Value::$kind($w) = value {
                    *self = $from;
                }
            }
        }
    )*};
}

plain_field! {
    bool, Bool, |v| *v, |v| *v;
    u8, U8, |v| *v, |v| *v;
    u16, U16, |v| *v, |v| *v;
    u32, U32, |v| *v, |v| *v;
    i32, I32, |v| *v, |v| *v;
    u64, X64, |v| *v, |v| *v;
    Guid, X64, |v| v.0, |v| Self(*v);
    MKey, X64, |v| v.0, |v| Self(*v);
    Option<String>, Text, |v| v.clone(), |v| v.clone();
    PortMask, Mask, |v| *v, |v| *v;
    CctEntry, CctEntry, |v| *v, |v| *v;
    CctTable, CctTable, |v| v.clone(), |v| v.clone();
}

macro_rules! per_sl_field {
    ($($ty:ty, $kind:ident;)*) => {$(
        impl Field for PerSl<$ty> {
            const KIND: Kind = Kind::$kind;
            fn value(&self) -> Value {
                Value::AllSls(self.0.map(u16::from))
            }
            fn take(&mut self, value: &Value) {
                // A number that does not fit is kept out where the text is read.
                let fit = |n: u16| <$ty>::try_from(n).unwrap_or(<$ty>::MAX);
                match value {
                    Value::AllSls(all) => self.0 = all.map(fit),
                    Value::OneSl { sl, value } => {
                        if let Some(slot) = self.0.get_mut(usize::from(*sl)) {
                            *slot = fit(*value);
                        }
                    }
                    _ => {}
                }
            }
        }
    )*};
}

per_sl_field! {
    u8, SlU8;
    u16, SlU16;
}
