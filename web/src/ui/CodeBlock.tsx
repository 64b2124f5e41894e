import { CopyButton } from './CopyButton.tsx'

interface CodeBlockProps {
  /** What the text is, for screen readers and the copy button. */
  label: string
  text: string
  /** Breaks long lines instead of scrolling. */
  isWrapped?: boolean
}

/** Code or JSON with a button to copy it. */
export function CodeBlock({ label, text, isWrapped = false }: CodeBlockProps) {
  return (
    <div className="flex items-start gap-2 rounded-ctl bg-well py-1.5 pr-1.5 pl-3">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region is scrolled by the keyboard
        tabIndex={0}
        className={`min-w-0 flex-1 overflow-x-auto rounded-ctl py-1 ${isWrapped ? '' : 'pr-4'}`}
      >
        <pre
          className={`font-mono text-[12.5px] leading-relaxed [tab-size:4] ${isWrapped ? 'whitespace-pre-wrap [overflow-wrap:anywhere]' : ''}`}
        >
          {text}
        </pre>
      </section>
      <CopyButton text={text} label={`Copy ${label}`} />
    </div>
  )
}
