/** A JSON schema as a list of members. What an object holds is shown when it is opened: schemas refer to each other. */
import { useState } from 'preact/hooks';
import { type ApiReference, named, type Schema } from './document.ts';
import { Markup } from './markup.tsx';
import { useReferenceWords } from './words.ts';

type Schemas = ApiReference['schemas'];
type Words = ReturnType<typeof useReferenceWords>;

export function SchemaView({ schema, schemas }: { schema: Schema; schemas: Schemas }) {
  const whole = resolved(schema, schemas);
  const variants = variantsOf(whole);
  const isList = whole.items !== undefined;
  return (
    <div class="schema">
      {isList && whole.items && <SchemaView schema={whole.items} schemas={schemas} />}
      {whole.properties && <Members schema={whole} schemas={schemas} />}
      {variants.length > 0 && <Variants variants={variants} schemas={schemas} />}
    </div>
  );
}

function Members({ schema, schemas }: { schema: Schema; schemas: Schemas }) {
  const t = useReferenceWords();
  return (
    <ul class="members">
      {Object.entries(schema.properties ?? {}).map(([name, property]) => (
        <Member
          key={name}
          name={name}
          schema={property}
          schemas={schemas}
          isRequired={schema.required?.includes(name) ?? false}
          words={t}
        />
      ))}
    </ul>
  );
}

function Member(props: {
  name: string;
  schema: Schema;
  schemas: Schemas;
  isRequired: boolean;
  words: Words;
}) {
  const { name, schemas, isRequired, words: t } = props;
  const schema = resolved(props.schema, schemas);
  const inner = insideOf(schema, schemas);
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <p class="member-head">
        <code>{name}</code> <span class="muted">{typeOf(schema, schemas, t)}</span>{' '}
        {isRequired && <span class="badge badge-required">{t.required}</span>}
      </p>
      <Facts schema={schema} />
      {inner && (
        <details onToggle={event => setOpen(event.currentTarget.open)}>
          <summary>{t.members(name)}</summary>
          {isOpen && <SchemaView schema={inner} schemas={schemas} />}
        </details>
      )}
    </li>
  );
}

function Variants({ variants, schemas }: { variants: readonly Schema[]; schemas: Schemas }) {
  const t = useReferenceWords();
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  return (
    <>
      <p class="muted">{t.anyOf}:</p>
      {variants.map((variant, index) => (
        <details
          class="variant"
          key={index}
          onToggle={event => event.currentTarget.open && setOpen(last => new Set(last).add(index))}
        >
          <summary>{variantName(variant, schemas) ?? t.variant(index + 1)}</summary>
          {open.has(index) && <SchemaView schema={variant} schemas={schemas} />}
        </details>
      ))}
    </>
  );
}

/** Description, words and limits. */
export function Facts({ schema }: { schema: Schema }) {
  const t = useReferenceWords();
  const words = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const limit = limitOf(schema, t);
  return (
    <>
      {schema.description && (
        <div class="member-text">
          <Markup text={schema.description} />
        </div>
      )}
      {words.length > 0 && (
        <p class="member-words">
          {words.length > 1 && <span class="muted">{t.limits.oneOf} </span>}
          {words.map(word => (
            <code key={String(word)}>{String(word)}</code>
          ))}
        </p>
      )}
      {limit && <p class="muted">{limit}</p>}
    </>
  );
}

function limitOf(schema: Schema, t: Words): string | undefined {
  const { limits } = t;
  const range = (least: number | undefined, most: number | undefined) => {
    if (most === undefined) return least === undefined || least === 0 ? undefined : limits.min(least);
    return least === undefined || least === 0 ? limits.max(most) : limits.between(least, most);
  };
  const numbers = range(schema.minimum, schema.maximum);
  if (numbers !== undefined) return numbers;
  const entries = range(schema.minItems, schema.maxItems);
  if (entries !== undefined) return limits.entries(entries);
  // Descriptions name the most characters of a text themselves.
  const characters = schema.description?.match(/\d/) ? undefined : range(schema.minLength, schema.maxLength);
  return characters === undefined ? undefined : limits.characters(characters);
}

export function typeOf(given: Schema, schemas: Schemas, t: Words): string {
  const schema = resolved(given, schemas);
  if (schema.items) return t.list(typeOf(schema.items, schemas, t));
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const names: Readonly<Record<string, string>> = t.types;
  return types.map(type => names[type] ?? type).join(', ');
}

/** References replaced, and what belongs together joined. */
function resolved(schema: Schema, schemas: Schemas): Schema {
  const { $ref, ...own } = schema;
  const whole: Schema = $ref === undefined ? own : { ...resolved(named(schemas, $ref), schemas), ...own };
  const parts = (whole.allOf ?? []).map(part => resolved(part, schemas));
  if (parts.length === 0) return whole;
  const all = [...parts, without(whole, 'allOf')];
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required }) => required ?? []),
  };
}

function without(schema: Schema, name: keyof Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([each]) => each !== name));
}

/** Alternatives that say something to a reader; rules such as "one of these is required" do not. */
function variantsOf(schema: Schema): readonly Schema[] {
  const variants = schema.anyOf ?? schema.oneOf ?? [];
  return variants.filter(each => each.$ref !== undefined || each.properties || each.items || each.type);
}

/** What a member shows when it is opened; undefined where there is nothing inside. */
function insideOf(schema: Schema, schemas: Schemas): Schema | undefined {
  if (schema.items) return insideOf(resolved(schema.items, schemas), schemas);
  const isObject = Object.keys(schema.properties ?? {}).length > 0;
  const hasVariants = variantsOf(schema).some(
    each => insideOf(resolved(each, schemas), schemas) !== undefined,
  );
  return isObject || hasVariants ? schema : undefined;
}

/** By its only kind of message, or by its name in the document. */
function variantName(variant: Schema, schemas: Schemas): string | undefined {
  const kind = resolved(variant, schemas).properties?.msgType;
  const words = kind?.enum ?? (kind?.const === undefined ? [] : [kind.const]);
  if (words.length === 1) return `msgType ${String(words[0])}`;
  return variant.$ref?.slice(variant.$ref.lastIndexOf('/') + 1);
}
