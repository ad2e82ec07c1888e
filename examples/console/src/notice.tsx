import type { SluiceProblem } from '@sluice/client';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** What is shown of a problem. */
export type Complaint = Pick<SluiceProblem, 'message' | 'requestId' | 'retryAfterSeconds'>;

interface NoticeProps {
  readonly problems: readonly Complaint[];
  /** For the field that it is about. */
  readonly id?: string;
  /** What can be done about it. */
  readonly children?: ReactNode;
}

/** What went wrong, each with the request id that the gateway's operators ask for. Nothing without problems. */
export const Notice = ({ problems, id, children }: NoticeProps) =>
  problems.length > 0 ? (
    <div className="notice" role="alert" id={id}>
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

interface ComplaintsProps {
  readonly problems: readonly Complaint[];
  readonly onDismiss: () => void;
}

/** What went wrong with something that a person did; it stays until the person has read it. */
export const Complaints = ({ problems, onDismiss }: ComplaintsProps) => (
  <Notice problems={problems}>
    <Button onClick={onDismiss}>Dismiss</Button>
  </Notice>
);
