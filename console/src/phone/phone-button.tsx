/** A button on the phone: a label and where it leads. Only http(s) addresses can be followed. */

export function PhoneButton({ label, target }: { label: string; target?: string | undefined }) {
  const isWeb = target !== undefined && /^https?:\/\//i.test(target);
  if (isWeb) {
    return (
      <a class="phone-button" href={target} target="_blank" rel="noreferrer noopener" title={target}>
        {label}
      </a>
    );
  }
  return (
    <span class="phone-button" title={target}>
      {label}
    </span>
  );
}
