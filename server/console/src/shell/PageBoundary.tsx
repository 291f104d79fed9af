import { ProblemAlert, type Problem } from '@parley/react';
import { Component, type ReactNode } from 'react';

const notShown: Problem = {
  code: 'UNKNOWN',
  title: 'This page could not be shown',
  advice: 'Check your internet connection and try again.',
  canRetry: true,
};

interface Props {
  children: ReactNode;
}

/** Shows a problem in place of a page that cannot be loaded or fails. Without it, React removes everything, such as a call in progress. */
export class PageBoundary extends Component<Props, { hasFailed: boolean }> {
  override readonly state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    // React remembers that the page could not be loaded, so only a reload tries again.
    return <ProblemAlert problem={notShown} onRetry={() => location.reload()} />;
  }
}
