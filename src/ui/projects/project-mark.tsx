// Mark that distinguishes a project at a glance.
import { Folder } from 'lucide-react';
import type { ProjectColour, ProjectFace } from '../../domain/projects/project.ts';
import { classes } from '../shell/controls.tsx';

export const INKS: Readonly<Record<ProjectColour, string>> = {
  grey: 'text-ink-3',
  blue: 'text-accent',
  amber: 'text-memory',
  violet: 'text-branch',
  green: 'text-ok',
  red: 'text-danger',
};

export function ProjectMark({ face, size = 16 }: { face: ProjectFace; size?: number }) {
  if (face.emoji !== '')
    return (
      <span
        aria-hidden
        style={{ fontSize: size - 2, width: size }}
        className="shrink-0 text-center leading-none"
      >
        {face.emoji}
      </span>
    );
  return <Folder size={size} aria-hidden className={classes('shrink-0', INKS[face.colour])} />;
}
