//! What is written in the brackets of an attribute.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Error, LitInt, Result, Token, parenthesized};

/// More lanes than that are a mistake.
const MOST: u32 = 1024;

#[derive(Default)]
pub(crate) struct Options {
    pub(crate) width: Option<u32>,
    pub(crate) independent: bool,
    pub(crate) reorder: bool,
    pub(crate) uniform: Vec<Ident>,
}

impl Options {
    /// Reads options, of which only those in `known` are allowed.
    pub(crate) fn read(text: TokenStream, known: &[&str]) -> Result<Options> {
        let read = |input: ParseStream<'_>| {
            let mut options = Options::default();
            while !input.is_empty() {
                let name = input.call(Ident::parse_any)?;
                if !known.iter().any(|known| name == known) {
                    let text = format!("no option `{name}`; there are {}", known.join(", "));
                    return Err(Error::new(name.span(), text));
                }
                match name.to_string().as_str() {
                    "width" => {
                        input.parse::<Token![=]>()?;
                        options.width = Some(width(&input.parse()?)?);
                    }
                    "independent" => options.independent = true,
                    "reorder" => options.reorder = true,
                    _ => {
                        let names;
                        parenthesized!(names in input);
                        let names = Punctuated::<Ident, Token![,]>::parse_terminated(&names)?;
                        options.uniform.extend(names);
                    }
                }
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(options)
        };
        read.parse2(text)
    }

    /// The call that marks a loop, at its line.
    pub(crate) fn mark(&self, at: Span) -> syn::Stmt {
        let width = self.width.unwrap_or(0);
        let promises = u32::from(self.independent) + 2 * u32::from(self.reorder);
        let name = Ident::new(&format!("__laneweaver_loop_w{width}_f{promises}"), at);
        syn::parse_quote_spanned! {at=>
            {
                #[inline(never)]
                const fn #name() {}
                #name();
            }
        }
    }
}

fn width(number: &LitInt) -> Result<u32> {
    match number.base10_parse::<u32>() {
        Ok(width) if (2..=MOST).contains(&width) => Ok(width),
        _ => Err(Error::new(number.span(), format!("a width is a number from 2 to {MOST}"))),
    }
}
