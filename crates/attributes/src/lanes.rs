//! `#[simd]`: adds a function for several lanes.

use crate::options::Options;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Error, FnArg, ItemFn, Pat, Result, ReturnType};

pub(crate) fn simd(options: TokenStream, function: TokenStream) -> Result<TokenStream> {
    let mut options = Options::read(options, &["width", "uniform"])?;
    options.independent = true;
    let function: ItemFn = syn::parse2(function)?;
    let all = of_lanes(&options, &function)?;
    let mut tokens = function.into_token_stream();
    tokens.extend(all);
    Ok(tokens)
}

/// The function for all lanes.
fn of_lanes(options: &Options, function: &ItemFn) -> Result<TokenStream> {
    let sig = &function.sig;
    let name = &sig.ident;
    let Some(width) = options.width else {
        return Err(Error::new(name.span(), "how many lanes? `width = 8`"));
    };
    let refused = match () {
        () if sig.generics.type_params().next().is_some() => Some("has type parameters"),
        () if sig.asyncness.is_some() => Some("is `async`"),
        () if sig.unsafety.is_some() => Some("is `unsafe`"),
        () if sig.variadic.is_some() => Some("takes any number of arguments"),
        () => None,
    };
    if let Some(why) = refused {
        return Err(Error::new(name.span(), format!("a function that {why} has no lanes")));
    }
    let lanes = width as usize;
    let (lane, results) =
        (Ident::new("lane", Span::mixed_site()), Ident::new("results", Span::mixed_site()));
    let (mut params, mut args) = (Vec::new(), Vec::new());
    let mut left: Vec<&Ident> = options.uniform.iter().collect();
    for param in &sig.inputs {
        let FnArg::Typed(param) = param else {
            return Err(Error::new_spanned(param, "a method has no lanes; mark a function"));
        };
        let Pat::Ident(pattern) = &*param.pat else {
            return Err(Error::new_spanned(&param.pat, "give the parameter a name"));
        };
        let (ident, ty) = (&pattern.ident, &param.ty);
        let uniform = left.iter().position(|uniform| *uniform == ident);
        match uniform {
            Some(at) => {
                left.remove(at);
                params.push(quote!(#ident: #ty));
                args.push(quote!(#ident));
            }
            None => {
                params.push(quote!(#ident: [#ty; #lanes]));
                args.push(quote!(#ident[#lane]));
            }
        }
    }
    if let Some(unknown) = left.first() {
        return Err(Error::new(unknown.span(), format!("there is no parameter `{unknown}`")));
    }
    let (vis, new) = (&function.vis, format_ident!("{name}_x{width}"));
    let (generics, limits) = (&sig.generics, &sig.generics.where_clause);
    let mark = options.mark(name.span());
    let about = format!("[`{name}`] for {width} lanes at once.");
    Ok(match &sig.output {
        ReturnType::Default => quote! {
            #[doc = #about]
            #[inline(never)]
            #[allow(clippy::needless_range_loop)]
            #vis fn #new #generics(#(#params),*) #limits {
                for #lane in 0..#lanes {
                    #mark
                    #name(#(#args),*);
                }
            }
        },
        ReturnType::Type(_, ty) => quote! {
            #[doc = #about]
            #[inline(never)]
            #[allow(clippy::needless_range_loop)]
            #vis fn #new #generics(#(#params),*) -> [#ty; #lanes] #limits {
                let mut #results = [<#ty as ::core::default::Default>::default(); #lanes];
                for #lane in 0..#lanes {
                    #mark
                    #results[#lane] = #name(#(#args),*);
                }
                #results
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(options: TokenStream, function: TokenStream) -> String {
        match simd(options, function) {
            Ok(tokens) => tokens.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_function_for_lanes_stands_beside_the_other() {
        let text = made(
            quote!(width = 8, uniform(b)),
            quote!(
                pub fn f(mut a: f32, b: &[u32]) -> u32 {
                    0
                }
            ),
        );
        assert!(text.contains("pub fn f (mut a : f32 , b : & [u32]) -> u32 { 0 }"), "{text}");
        assert!(
            text.contains("pub fn f_x8 (a : [f32 ; 8usize] , b : & [u32]) -> [u32 ; 8usize]"),
            "{text}"
        );
        assert!(text.contains("results [lane] = f (a [lane] , b)"), "{text}");
        assert!(text.contains("__laneweaver_loop_w8_f1"), "{text}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let f = quote!(
            fn f(a: f32) {}
        );
        assert!(made(quote!(), f.clone()).contains("how many lanes"));
        assert!(made(quote!(width = 4, uniform(b)), f.clone()).contains("no parameter `b`"));
        assert!(made(quote!(width = 4, independent), f).contains("no option `independent`"));
        let method = quote!(
            fn f(&self) {}
        );
        assert!(made(quote!(width = 4), method).contains("a method has no lanes"));
        let generic = quote!(
            fn f<T>(a: T) {}
        );
        assert!(made(quote!(width = 4), generic).contains("has type parameters"));
    }
}
