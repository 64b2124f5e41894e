/** A code in large cells; a single image for screen readers. */
export function CodeCells({ code }: { code: string }) {
  return (
    <p className="mt-3 flex flex-wrap gap-1.5" role="img" aria-label={code.split('').join(' ')}>
      {[...code].map((letter, index) =>
        letter === '-' ? (
          <span key={index} aria-hidden="true" className="w-2" />
        ) : (
          <span
            key={index}
            aria-hidden="true"
            className="grid h-12 w-9 place-items-center rounded-ctl border border-line bg-well font-mono text-[22px]"
          >
            {letter}
          </span>
        ),
      )}
    </p>
  )
}
