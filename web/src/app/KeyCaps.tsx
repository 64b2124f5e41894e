const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** The modifier of commands on this machine. */
export const commandKey = isMac ? '⌘' : 'Ctrl'

/** Keys as caps. Those separated by spaces are pressed together or one after the other. */
export function KeyCaps({
  keys,
  isOff = false,
  className = '',
}: {
  keys: string
  isOff?: boolean
  className?: string
}) {
  return (
    <span className={`inline-flex shrink-0 gap-1 ${className}`}>
      {keys.split(' ').map((key, index) => (
        <kbd
          key={index}
          className={`min-w-5 rounded border border-line bg-well px-1 py-px text-center font-mono text-[11px] leading-4 font-[500] ${isOff ? 'text-ink3 line-through' : 'text-ink2'}`}
        >
          {key}
        </kbd>
      ))}
    </span>
  )
}
