/** Deletes what cannot be had back: says what goes, and asks for its name. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useWords } from '../words/words.tsx';
import { DialogForm } from './dialog-form.tsx';
import { TextField } from './field.tsx';

export function DeleteDialog(props: {
  label: string;
  title: string;
  /** What has to be typed. */
  name: string;
  /** Why it cannot be deleted now. */
  obstacle?: string | undefined;
  onDelete: () => Promise<void>;
  children: ComponentChildren;
}) {
  const t = useWords();
  const [typed, setTyped] = useState('');
  return (
    <DialogForm
      button={{ kind: 'quiet', isSmall: true, children: props.label }}
      onOpen={() => setTyped('')}
      title={props.title}
      submit={props.label}
      isDanger
      isReady={props.obstacle === undefined && typed.trim() === props.name}
      onSubmit={props.onDelete}
    >
      {props.children}
      {props.obstacle ? (
        <p class="notice">{props.obstacle}</p>
      ) : (
        <TextField label={t.deleting.type(props.name)} value={typed} onInput={setTyped} />
      )}
    </DialogForm>
  );
}
