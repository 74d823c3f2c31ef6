import { Skeleton, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { openPdf } from './pdf-library.ts';

/** Larger page images cost more than they add. */
const mostPixels = 16_000_000;

/** A page of a PDF, rendered at the available width. */
export function PdfSource({ url, page, name }: { url: string; page: number; name: string }) {
  const { t } = useTranslation();
  const { ref, width } = useElementSize();
  const [pdf, setPdf] = useState<PDFDocumentProxy>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const opened = openPdf(url);
    let isGone = false;
    opened.document.then(
      (document) => {
        if (!isGone) setPdf(document);
      },
      (error: unknown) => {
        if (!isGone) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      isGone = true;
      setPdf(undefined);
      setProblem(undefined);
      opened.close();
    };
  }, [url]);
  return (
    <div ref={ref} className="pdf-frame">
      {problem !== undefined ? (
        <Text size="sm" c="orange" role="status">
          {t('common.pdf.notDrawn', { problem })}
        </Text>
      ) : pdf === undefined || width === 0 ? (
        <Skeleton height={420} />
      ) : (
        <PdfPage
          key={page}
          pdf={pdf}
          page={Math.min(page, pdf.numPages)}
          width={width}
          label={t('common.pdf.pageOf', { page, name })}
        />
      )}
    </div>
  );
}

function PdfPage(props: { pdf: PDFDocumentProxy; page: number; width: number; label: string }) {
  const { t } = useTranslation();
  const { pdf, page, width, label } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [state, setState] = useState<'drawing' | 'drawn' | { problem: string }>('drawing');
  useEffect(() => {
    let isGone = false;
    let stop: (() => void) | undefined;
    const draw = async (): Promise<void> => {
      const content = await pdf.getPage(page);
      const target = canvas.current;
      if (isGone || target === null) return;
      const natural = content.getViewport({ scale: 1 });
      const fitting = (width / natural.width) * Math.min(2, window.devicePixelRatio);
      const most = Math.sqrt(mostPixels / (natural.width * natural.height));
      const viewport = content.getViewport({ scale: Math.min(fitting, most) });
      target.width = Math.floor(viewport.width);
      target.height = Math.floor(viewport.height);
      const task = content.render({ canvas: target, viewport });
      stop = () => task.cancel();
      await task.promise;
      if (!isGone) setState('drawn');
    };
    draw().catch((error: unknown) => {
      if (!isGone) setState({ problem: error instanceof Error ? error.message : String(error) });
    });
    return () => {
      isGone = true;
      stop?.();
    };
  }, [pdf, page, width]);
  return (
    <>
      {typeof state === 'object' && (
        <Text size="sm" c="orange" role="status">
          {t('common.pdf.notDrawn', { problem: state.problem })}
        </Text>
      )}
      {/* A picture of the text that is shown beside it. */}
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        className="pdf-page"
        data-drawn={state === 'drawn' || undefined}
      />
    </>
  );
}
