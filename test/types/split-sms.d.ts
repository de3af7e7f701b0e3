/** The part of split-sms that the tests use; the package has no types of its own. */
declare module 'split-sms' {
  const splitter: {
    split(text: string): { readonly parts: readonly { readonly content: string }[] };
  };
  export default splitter;
}
