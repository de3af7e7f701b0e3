/** A button that lets a file be chosen, again after each: the same file may have been corrected. */
import { useRef } from 'preact/hooks';
import { Button } from './button.tsx';
import { Needs } from './needs.tsx';

export function FileButton(props: {
  label: string;
  /** What the file is. */
  fileLabel: string;
  accept: string;
  isDisabled: boolean;
  onFile: (file: File) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <Needs least="operator">
      <Button kind="quiet" icon="up" isDisabled={props.isDisabled} onPress={() => input.current?.click()}>
        {props.label}
      </Button>
      <input
        ref={input}
        type="file"
        accept={props.accept}
        class="sr-only"
        tabIndex={-1}
        aria-label={props.fileLabel}
        onChange={event => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (file) props.onFile(file);
        }}
      />
    </Needs>
  );
}
