import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Place = { documentId: string; chunkId: string; start: number; end: number };

/** Links to the place of a chunk in its document. */
export function PlaceLink(props: {
  knowledgeBaseId: string;
  place: Place;
  label?: string;
  className?: string;
  children: ReactNode;
}) {
  const { knowledgeBaseId, place, label, className, children } = props;
  return (
    <Link
      to="/knowledge/$knowledgeBaseId/documents/$documentId"
      params={{ knowledgeBaseId, documentId: place.documentId }}
      search={{ chunk: place.chunkId, start: place.start, end: place.end }}
      aria-label={label}
      className={className}
    >
      {children}
    </Link>
  );
}
