/** The page of one operation: what it does, takes and answers, how to call it, and a place to try it. */
import { useState } from 'preact/hooks';
import type { KeptAuthorisation } from './authorisation.ts';
import { Code } from './code.tsx';
import type { Answer, ApiReference, Operation, Parameter } from './document.ts';
import { Markup } from './markup.tsx';
import { MethodBadge } from './method-badge.tsx';
import { Path } from './path.tsx';
import { bodyText, bodyTyped, firstValues, sampleCallOf } from './sample-call.ts';
import { SAMPLE_LANGUAGES, type SampleLanguage, sampleOf } from './samples.ts';
import { Facts, SchemaView, typeOf } from './schema-view.tsx';
import { TryIt } from './try-it.tsx';
import { useReferenceWords } from './words.ts';

export function OperationPage(props: {
  operation: Operation;
  reference: ApiReference;
  authorisation: KeptAuthorisation;
  sampleLanguage: SampleLanguage;
  onSampleLanguage: (language: SampleLanguage) => void;
}) {
  const t = useReferenceWords();
  const { operation, reference } = props;
  const { body } = operation;
  const [values, setValues] = useState(() => firstValues(operation));
  const [example, setExample] = useState(0);
  const [text, setText] = useState(() => bodyText(operation, body?.examples[0]?.value));
  const choose = (index: number) => {
    setExample(index);
    setText(bodyText(operation, body?.examples[index]?.value));
  };
  const { schemas } = reference;
  return (
    <div class="operation">
      <article>
        <h1>{operation.summary}</h1>
        <p class="operation-path">
          <MethodBadge method={operation.method} /> <Path path={operation.path} />
        </p>
        <p class="muted">
          {t.access[operation.access]}
          {operation.role && `, ${t.role(operation.role)}`}
        </p>
        <Markup text={operation.description} />
        <p class="operation-jump">
          <a href="#samples">
            {t.samples}, {t.tryIt}
          </a>
        </p>
        {operation.parameters.length > 0 && (
          <section aria-labelledby="parameters">
            <h2 id="parameters">{t.parameters}</h2>
            <ul class="members">
              {operation.parameters.map(parameter => (
                <ParameterRow key={parameter.name} parameter={parameter} reference={reference} />
              ))}
            </ul>
          </section>
        )}
        {body && (
          <section aria-labelledby="request">
            <h2 id="request">{t.request}</h2>
            <p class="muted">
              <code>{body.type}</code>
            </p>
            <SchemaView schema={body.schema} schemas={schemas} />
          </section>
        )}
        <section aria-labelledby="answers">
          <h2 id="answers">{t.answers}</h2>
          {operation.answers.map(answer => (
            <AnswerView key={answer.status} answer={answer} reference={reference} />
          ))}
        </section>
      </article>
      <aside id="samples" aria-label={t.samples}>
        {body && body.examples.length > 1 && (
          <label class="try-field">
            {t.example}
            <select value={example} onChange={event => choose(Number(event.currentTarget.value))}>
              {body.examples.map(({ name }, index) => (
                <option key={name} value={index}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <fieldset class="sample-languages">
          <legend class="sr-only">{t.samplesIn}</legend>
          {SAMPLE_LANGUAGES.map(language => (
            <label key={language}>
              <input
                type="radio"
                name="sample-language"
                checked={language === props.sampleLanguage}
                onChange={() => props.onSampleLanguage(language)}
              />
              <span>{language}</span>
            </label>
          ))}
        </fieldset>
        <Code
          title={`${t.samples}: ${props.sampleLanguage}`}
          code={sampleOf(
            props.sampleLanguage,
            sampleCallOf(
              operation,
              reference,
              location.origin,
              values,
              bodyTyped(operation, text) ?? body?.examples[example]?.value,
            ),
          )}
        />
        <TryIt
          operation={operation}
          reference={reference}
          authorisation={props.authorisation}
          values={values}
          onValues={setValues}
          body={text}
          onBody={setText}
        />
      </aside>
    </div>
  );
}

function ParameterRow({ parameter, reference }: { parameter: Parameter; reference: ApiReference }) {
  const t = useReferenceWords();
  const { name, in: place, required, schema, description } = parameter;
  return (
    <li>
      <p class="member-head">
        <code>{name}</code>{' '}
        <span class="muted">
          {t.places[place]}, {typeOf(schema, reference.schemas, t)}
        </span>{' '}
        {required && <span class="badge badge-required">{t.required}</span>}
      </p>
      <Facts schema={{ ...schema, description }} />
    </li>
  );
}

/** Closed where it is a refusal: there are many, and most readers want the success. */
function AnswerView({ answer, reference }: { answer: Answer; reference: ApiReference }) {
  const t = useReferenceWords();
  const isSuccess = answer.status === '200';
  const [isOpen, setOpen] = useState(isSuccess);
  const [first] = answer.bodies;
  const example = first?.examples[0]?.value;
  return (
    <details class="answer" open={isSuccess} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <span class={`badge ${isSuccess ? 'badge-good' : 'badge-bad'}`}>{answer.status}</span>{' '}
        {isSuccess ? answer.description : codesOf(answer)}
      </summary>
      {isOpen && (
        <>
          {!isSuccess && <Markup text={answer.description} />}
          {answer.headers.map(([name, description]) => (
            <p key={name}>
              <code>{name}</code> {description}
            </p>
          ))}
          {answer.bodies.length > 1 && (
            <p class="muted">{answer.bodies.map(({ type }) => type).join(', ')}</p>
          )}
          {isSuccess && first && <SchemaView schema={first.schema} schemas={reference.schemas} />}
          {isSuccess && example !== undefined && (
            <Code title={t.exampleAnswer} code={typeof example === 'string' ? example : jsonText(example)} />
          )}
        </>
      )}
    </details>
  );
}

/** The codes of a refusal, a few of them where there are many. */
function codesOf({ description }: Answer): string {
  const codes = description.match(/\bA\d{3}\b/g) ?? [];
  return codes.length > 6 ? `${codes.slice(0, 5).join(', ')} … ${codes.at(-1)}` : codes.join(', ');
}

function jsonText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}
