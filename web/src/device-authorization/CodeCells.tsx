/** A code in cells; a single image for screen readers. Large cells fill the width, and stay on one line. */
export function CodeCells({ code, isLarge = false }: { code: string; isLarge?: boolean }) {
  const cellClass = isLarge ? 'aspect-3/4 min-w-0 max-w-15 flex-1 text-[clamp(16px,7cqw,40px)]' : 'h-12 w-9 text-[22px]'
  return (
    <p
      className={`mt-3 flex gap-1.5 ${isLarge ? '@container' : 'flex-wrap'}`}
      role="img"
      aria-label={code.split('').join(' ')}
    >
      {[...code].map((letter, index) =>
        letter === '-' ? (
          <span key={index} aria-hidden="true" className="w-2" />
        ) : (
          <span
            key={index}
            aria-hidden="true"
            className={`grid place-items-center rounded-ctl border border-line bg-well font-mono ${cellClass}`}
          >
            {letter}
          </span>
        ),
      )}
    </p>
  )
}
