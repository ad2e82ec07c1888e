import type { SluiceProblem } from '@sluice/client';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** The parts of a problem that are shown. */
export type Complaint = Pick<SluiceProblem, 'message' | 'requestId' | 'retryAfterSeconds'>;

interface NoticeProps {
  readonly problems: readonly Complaint[];
  /** Id for the field that the problem is about. */
  readonly id?: string;
  /** Actions against the problem. */
  readonly children?: ReactNode;
}

/** All problems, each with the request id that the gateway's operators ask for. Nothing if there are none. */
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

/** Problems of a user's action; they stay until the user dismisses them. */
export const Complaints = ({ problems, onDismiss }: ComplaintsProps) => (
  <Notice problems={problems}>
    <Button onClick={onDismiss}>Dismiss</Button>
  </Notice>
);
