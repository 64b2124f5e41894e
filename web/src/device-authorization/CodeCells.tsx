/** The cells of a user code, `XXXX-XXXX`. */
const places = 9

/**
 * A code in cells; a single image for screen readers. Large cells fill the width, and stay on one line; a shorter code
 * has cells of the same size.
 */
export function CodeCells({ code, isLarge = false }: { code: string; isLarge?: boolean }) {
  const sizeClass = isLarge ? 'aspect-3/4 min-w-0 max-w-15 flex-1' : 'h-12 w-9'
  const cellClass = `grid place-items-center rounded-ctl border border-line font-mono ${isLarge ? 'bg-card text-[clamp(16px,7cqw,40px)]' : 'bg-well text-[22px]'}`
  const padding = isLarge ? Math.max(0, places - code.length) : 0
  return (
    <span
      className={`mt-3 flex gap-1.5 ${isLarge ? '@container' : 'flex-wrap'}`}
      role="img"
      aria-label={code.split('').join(' ')}
    >
      {[...code].map((letter, index) =>
        letter === '-' ? (
          <Gap key={index} />
        ) : (
          <span key={index} aria-hidden="true" className={`${cellClass} ${sizeClass}`}>
            {letter}
          </span>
        ),
      )}
      {Array.from({ length: padding }, (_, index) =>
        index === 0 ? <Gap key="gap" /> : <span key={index} aria-hidden="true" className={sizeClass} />,
      )}
    </span>
  )
}

/** The place of the hyphen. */
const Gap = () => <span aria-hidden="true" className="w-2 shrink-0" />
