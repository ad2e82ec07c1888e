import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  /** The content; a query in it must use the number of the attempt as its `fetchKey`. */
  readonly children: (attempt: number) => ReactNode;
}

interface BoundaryState {
  readonly error: Error | null;
  readonly attempt: number;
}

/**
 * Shows why its children cannot be shown, and retries on request. A query of Relay throws if the gateway gives no answer,
 * and without a boundary React would remove the whole page. Only a class can be a boundary.
 */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: null, attempt: 0 };

  static getDerivedStateFromError(error: Error): Pick<BoundaryState, 'error'> {
    return { error };
  }

  readonly #tryAgain = (): void =>
    this.setState(({ attempt }) => ({ error: null, attempt: attempt + 1 }));

  override render(): ReactNode {
    const { error, attempt } = this.state;
    if (error === null) return this.props.children(attempt);
    return (
      <p role="alert">
        {error.message}{' '}
        <button type="button" onClick={this.#tryAgain}>
          Try again
        </button>
      </p>
    );
  }
}
