/** On the page of a failed message: sends it again, as it is or through an edited copy. */
import { ConfirmButton } from '../components/confirm-button.tsx';
import { Icon } from '../components/icon.tsx';
import { Needs } from '../components/needs.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { Refusal } from '../gateway/call.ts';
import type { Message } from '../gateway/messages.ts';
import { resendMessages } from '../gateway/resend.ts';
import { useAction } from '../gateway/use-action.ts';
import { Link, useRouter } from '../router.tsx';
import { useMay } from '../session.tsx';
import { useWords } from '../words/words.tsx';
import { copyAddress, wasDeliveredLate } from './copy-address.ts';

export function ResendOne({ message }: { message: Message }) {
  const t = useWords();
  const { go } = useRouter();
  const sending = useAction();
  const isOperator = useMay('operator');
  const { msgKey, resentAs } = message;
  const again = resentAs.length > 0;
  const delivered = wasDeliveredLate(message);
  const resend = () =>
    sending.run(async () => {
      const [result] = await resendMessages({ msgKeys: [msgKey], again, delivered }, () => {});
      if (!result?.newKey) throw new Refusal(result?.result ?? '', result?.code);
      go(`/messages/${result.newKey}`);
    });
  const question = [
    t.desk.resendQuestion(1),
    delivered
      ? t.desk.deliveredLate
      : message.fate === 'unsure'
        ? t.desk.mayHaveArrived(1)
        : message.fate === 'notTaken' && t.desk.safe(1),
    again && t.desk.sentBefore(1),
  ];
  return (
    <>
      {message.textRemovedAt === undefined && (
        <Needs least="operator">
          <ConfirmButton
            label={t.desk.resend}
            question={question.filter(Boolean).join(' ')}
            onConfirm={resend}
            isMain
            isDisabled={sending.isRunning}
            icon="refresh"
          />
        </Needs>
      )}
      {isOperator && (
        <Link to={copyAddress([message])} class="button">
          <Icon name="compose" /> {t.desk.edit}
        </Link>
      )}
      <RefusalNotice refusal={sending.refusal} />
    </>
  );
}
