//! The reader: every kind of datum, errors with their place, and inputs made to break readers.

use lw_cfa::read::{Data, read};
use lw_cfa::source::Sources;

fn written(text: &str) -> Result<Vec<String>, String> {
    let mut sources = Sources::new();
    let file = sources.add("t.scm", text).map_err(|error| error.message)?;
    let mut data = Data::new();
    let all = read(&sources, file, &mut data).map_err(|error| error.show(&sources))?;
    Ok(all.into_iter().map(|datum| data.write(datum, 200)).collect())
}

fn one(text: &str) -> String {
    let all = written(text).unwrap();
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    all[0].clone()
}

fn error(text: &str) -> String {
    written(text).unwrap_err()
}

#[test]
fn data_of_every_kind() {
    assert_eq!(one("(a . (b . (c)))"), "(a b c)");
    assert_eq!(one("[a . b]"), "(a . b)");
    assert_eq!(one("'(`a ,b ,@c)"), "(quote ((quasiquote a) (unquote b) (unquote-splicing c)))");
    assert_eq!(one("#(1 #(2) #u8(0 255))"), "#(1 #(2) #u8(0 255))");
    assert_eq!(
        one(r#""a\n\x41;\\\"b\
        c""#),
        r#""a\nA\\\"bc""#
    );
    assert_eq!(one(r"(#\a #\space #\x41 #\( #\newline)"), r"(#\a #\x20 #\A #\( #\xa)");
    assert_eq!(one("(|a b| a|B c|d || |1|)"), "(|a b| |aB cd| || |1|)");
    assert_eq!(one("(#t #false #true #f #T #F)"), "(#t #f #t #f #t #f)");
    assert_eq!(one("#!fold-case ABC"), "abc");
    assert_eq!(
        written("#!/usr/bin/scheme\n1 ; one\n#| #| deep |# |# 2 #;(3 4) 5").unwrap(),
        ["1", "2", "5"]
    );
    assert_eq!(one("(1 . #;2 3)"), "(1 . 3)");
    assert_eq!(one("(#0=(a) #0#)"), "((a) (a))");
    assert!(one("#0=(a . #0#)").starts_with("(a a a a"));
}

#[test]
fn errors_name_their_place() {
    assert!(error("(a\n  (b c").starts_with("t.scm:2:3: error: this parenthesis is never closed"));
    assert!(error("a\n )").starts_with("t.scm:2:2: error: this ) closes nothing"));
    assert!(error("(a]").starts_with("t.scm:1:3: error: a ) was expected"));
    assert!(error("(é . )").starts_with("t.scm:1:6: error: a datum is missing after the dot"));
    assert!(error("(a . b c)").starts_with("t.scm:1:8: error: one datum"));
    assert!(error("( . b)").starts_with("t.scm:1:3: error: a dot"));
    assert!(error("\"abc").starts_with("t.scm:1:1: error: this string"));
    assert!(error("#| x").starts_with("t.scm:1:1: error: this comment"));
    assert!(error("#\\foo").starts_with("t.scm:1:1: error: #\\foo"));
    assert!(error("#u8(256)").starts_with("t.scm:1:5: error: a bytevector"));
    assert!(error("#0#").starts_with("t.scm:1:1: error: no datum has the label"));
    assert!(error("#0=#0#").starts_with("t.scm:1:1: error: this label"));
    assert!(error("'").starts_with("t.scm:1:1: error: the file ends"));
    assert!(error("(')").starts_with("t.scm:1:3: error: a datum is missing"));
    assert!(error("#foo").starts_with("t.scm:1:1: error: #foo"));
}

#[test]
fn a_hundred_thousand_levels() {
    let n = 100_000;
    let deep = "(".repeat(n) + &")".repeat(n);
    assert_eq!(written(&deep).unwrap().len(), 1);
    let quotes = "'".repeat(n) + "a";
    assert_eq!(written(&quotes).unwrap().len(), 1);
    assert!(error(&"(".repeat(n)).starts_with("t.scm:1:100000: error"));
    assert!(error(&"#;".repeat(n)).starts_with("t.scm:1:199999: error"));
    assert!(error(&"#|".repeat(n)).starts_with("t.scm:1:1: error"));
}

#[test]
fn fifty_megabytes() {
    let text = "(define (f x) (+ x 1))\n".repeat(50_000_000 / 23);
    let mut sources = Sources::new();
    let file = sources.add("t.scm", text).unwrap();
    assert_eq!(read(&sources, file, &mut Data::new()).unwrap().len(), 50_000_000 / 23);
}

#[test]
fn damaged_text_is_an_error_or_data() {
    let text =
        "(a #(b \"c\\x41;\" #\\x) '|d e| #u8(1 2) #0=(f . #0#) #| g |# `(,h ,@i) #;j 1.5e3 é)";
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    for from in &places {
        let _ = written(&text[*from..]);
        let _ = written(&text[..*from]);
        for other in ['(', ')', '"', '|', '#', '\\', '.', 'é'] {
            let _ = written(&format!("{}{other}{}", &text[..*from], &text[*from..]));
        }
    }
}
