/** A code in cells that are read from afar; one word to a screen reader. */
export function CodeCells({ code }: { code: string }) {
  return (
    <p className="mt-3 flex flex-wrap gap-1.5" role="img" aria-label={code.split('').join(' ')}>
      {[...code].map((letter, at) =>
        letter === '-' ? (
          <span key={at} aria-hidden="true" className="w-2" />
        ) : (
          <span
            key={at}
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
