/** A path of the API, which may go on in the next line after each slash. */
export function Path({ path, class: name = '' }: { path: string; class?: string }) {
  return (
    <code class={`long ${name}`}>
      {path.split(/(?<=\/)/).map((part, index) => [index > 0 && <wbr />, part])}
    </code>
  );
}
