/** A choice between a few views of the same thing. */

export function Tabs<Id extends string>(props: {
  label: string;
  tabs: readonly { readonly id: Id; readonly label: string }[];
  current: Id;
  onPick: (id: Id) => void;
}) {
  return (
    <fieldset class="tabs" aria-label={props.label}>
      {props.tabs.map(({ id, label }) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === props.current}
          onClick={() => id !== props.current && props.onPick(id)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}
