import { useState } from "react";

export interface BadgeProps {
  label: string;
  onClose?: () => void;
}

/** A small label. */
export function Badge({ label, onClose }: BadgeProps) {
  const [open, setOpen] = useState(true);
  function close() {
    setOpen(false);
  }
  return open ? <span onClick={close}>{label}</span> : null;
}

export const List: React.FC<{ items: string[] }> = ({ items }) => (
  <ul>
    {items.map((it) => (
      <Badge key={it} label={it} />
    ))}
  </ul>
);

const theme = { dark: true };

class Boundary extends React.Component<{ children: React.ReactNode }> {
  state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  render() {
    return this.state.failed ? <b>failed</b> : this.props.children;
  }
}

export type Theme = typeof theme;
export default Boundary;
