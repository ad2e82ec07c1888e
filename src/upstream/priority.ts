/**
 * The order in which calls get slots. `read`: nothing can be shown yet. `poll`: a stream watches the read. `deferred`:
 * for a part of a response that may come later. `tool`: for a REST tool, in turns with the deferred ones. `wanted`: no
 * request waits any longer, but one asked for it lately. `refresh`: an older answer can be shown if this takes too long.
 * `renewal`: an older answer has been shown.
 */
export const priorities = [
  'write',
  'read',
  'poll',
  'deferred',
  'tool',
  'wanted',
  'refresh',
  'renewal',
] as const;
export type Priority = (typeof priorities)[number];

/** Whether no request waits for calls of this priority. */
export const isBackground = (priority: Priority): boolean =>
  priority === 'poll' || priority === 'wanted' || priority === 'renewal';

/** Raises the priority of a deferred read once another field needs the read sooner. */
export class Urgency {
  #isRaised = false;
  readonly #listeners = new Set<() => void>();

  /** The present priority of a claim that began with this priority. */
  apply(priority: Priority): Priority {
    return this.#isRaised && priority === 'deferred' ? 'read' : priority;
  }

  raise(): void {
    this.#isRaised = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls the listener once, when the urgency is raised. */
  onRaise(listener: () => void): void {
    if (!this.#isRaised) this.#listeners.add(listener);
  }
}
