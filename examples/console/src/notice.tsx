import type { SluiceProblem } from '@sluice/client';
import type { ReactNode } from 'react';

/** What is shown of a problem. */
export type Complaint = Pick<SluiceProblem, 'message' | 'requestId' | 'retryAfterSeconds'>;

interface NoticeProps {
  readonly problems: readonly Complaint[];
  /** A sentence that stands before the problems. */
  readonly sentence?: string;
  /** For the field that it is about. */
  readonly id?: string;
  /** What can be done about it. */
  readonly children?: ReactNode;
}

/** What went wrong, each with the request id that the gateway's operators ask for. Nothing without problems. */
export const Notice = ({ problems, sentence, id, children }: NoticeProps) =>
  problems.length > 0 || sentence ? (
    <div className="notice" role="alert" id={id}>
      {sentence && <p>{sentence}</p>}
      {problems.map(({ message, requestId, retryAfterSeconds }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: problems have no identity, and the list is never reordered
        <p key={index}>
          {message}
          {retryAfterSeconds !== undefined && ` Try again in ${retryAfterSeconds} s.`}
          {requestId && (
            <small>
              Request id <code>{requestId}</code>
            </small>
          )}
        </p>
      ))}
      {children}
    </div>
  ) : null;
