use super::*;

fn split(text: &str) -> (&str, &str) {
    text.split_at(number_length(text.as_bytes()))
}

#[test]
fn a_number_ends_where_fxc_ends_it() {
    let rows = [
        ("12", ""),
        ("0x1Fu", ";"),
        ("017", ""),
        ("3ul", ""),
        ("3LU", ""),
        ("1.5h", ")"),
        (".5", ""),
        ("2.", ""),
        ("2.f", ""),
        ("2.e+3", ""),
        ("1e5", "-1"),
        ("1E-5f", ""),
        ("1f", ""),
        ("1.0L", ""),
        ("1l", ""),
        ("1.#INF", ""),
        ("1.#QNAN", "*"),
        ("1", ".xxx"),
        ("1", ".fff"),
        ("1.", ".xxx"),
        ("1.0", ".xxx"),
        ("1.f", ".xxx"),
        ("1", "abc"),
        ("1", "eg"),
        ("0", "xg"),
        ("1", "uvw"),
        ("08", ""),
        ("", "."),
        ("", ".x"),
        ("", "x"),
        ("", ".#INF"),
    ];
    for (number, rest) in rows {
        assert_eq!(split(&format!("{number}{rest}")), (number, rest));
    }
}

#[test]
fn numbers_have_the_values_and_suffixes_they_spell() {
    let int = |value, unsigned| Ok(Number::Int { value, unsigned });
    let float = |value, suffix| Ok(Number::Float { value, suffix });
    let rows = [
        ("0", int(0, false)),
        ("17", int(17, false)),
        ("017", int(15, false)),
        ("0x1Fu", int(31, true)),
        ("0xffffffffffffffff", int(u64::MAX, false)),
        ("7lU", int(7, true)),
        ("1.5h", float(1.5, FloatSuffix::Half)),
        ("1.5F", float(1.5, FloatSuffix::Float)),
        ("1.5l", float(1.5, FloatSuffix::Double)),
        ("010.5", float(10.5, FloatSuffix::None)),
        ("1e5", float(1e5, FloatSuffix::None)),
        ("2.e1", float(20.0, FloatSuffix::None)),
        (".25", float(0.25, FloatSuffix::None)),
        ("2.", float(2.0, FloatSuffix::None)),
        ("1f", float(1.0, FloatSuffix::Float)),
        ("1.#INF", float(f64::INFINITY, FloatSuffix::None)),
        ("08", Err(NumberError::OctalDigit)),
        ("0x10000000000000000", Err(NumberError::TooLarge)),
        ("18446744073709551616", Err(NumberError::TooLarge)),
        ("", Err(NumberError::Malformed)),
        ("1abc", Err(NumberError::Malformed)),
        ("x", Err(NumberError::Malformed)),
    ];
    for (text, value) in rows {
        assert_eq!(parse_number(text), value, "{text}");
    }
    assert!(matches!(parse_number("1.#IND"), Ok(Number::Float { value, .. }) if value.is_nan()));
}

#[test]
fn an_integer_of_more_than_32_bits_has_its_bases_warning() {
    let code = |text: &str| match parse_number(text) {
        Ok(Number::Int { value, .. }) => truncation(text, value).map(|(code, _)| code),
        other => panic!("{other:?}"),
    };
    assert_eq!(code("0xffffffff"), None);
    assert_eq!(code("0x100000000"), Some(Code::HexTruncated));
    assert_eq!(code("040000000000"), Some(Code::OctalTruncated));
    assert_eq!(code("4294967296u"), Some(Code::DecimalTruncated));
}

#[test]
fn a_directive_integer_keeps_32_bits() {
    assert_eq!(parse_directive_integer("0x1fffffffe"), Some(0xffff_fffe));
    assert_eq!(parse_directive_integer("36893488147419103234"), Some(2));
    assert_eq!(parse_directive_integer("010lu"), Some(8));
    assert_eq!(parse_directive_integer("09"), None);
    assert_eq!(parse_directive_integer("1.5"), None);
    assert_eq!(parse_directive_integer("1e3"), None);
}

#[test]
fn a_character_is_an_integer() {
    let rows = [
        ("'A'", 65),
        ("'\"'", 34),
        (r"'\n'", 10),
        (r"'\v'", 11),
        (r"'\c'", 99),
        (r"'\''", 39),
        (r"'\101'", 65),
        (r"'\x41'", 65),
    ];
    for (text, value) in rows {
        assert_eq!(parse_number(text), Ok(Number::Int { value, unsigned: false }), "{text}");
        assert_eq!(parse_directive_integer(text), Some(value as u32), "{text}");
    }
    for text in ["''", "'ab'", "'a", "'\n'", r"'\1234'"] {
        assert_eq!(number_length(text.as_bytes()), 0, "{text}");
    }
}
