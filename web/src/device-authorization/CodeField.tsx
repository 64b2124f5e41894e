import { useState } from 'react'
import { Labelled, type LabelledProps } from '../ui/Labelled.tsx'

/** The letters of a user code. */
const codeLength = 8

/** Returns the letters of a typed or pasted code, without its dash and spaces. */
export const cleanCode = (text: string): string =>
  text
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, codeLength)

interface CodeFieldProps extends LabelledProps {
  value: string
  onChange: (code: string) => void
}

/** A user code in eight cells. One transparent field lies over them, so that it is typed, pasted and edited as any text. */
export function CodeField({ value, onChange, ...labelled }: CodeFieldProps) {
  const [caret, setCaret] = useState<number>()
  return (
    <Labelled {...labelled}>
      {(control) => (
        <div className="relative flex gap-1.5">
          {Array.from({ length: codeLength }, (_, index) => (
            <span
              key={index}
              aria-hidden="true"
              className={`grid aspect-3/4 min-w-0 flex-1 place-items-center rounded-ctl border bg-card font-mono text-[22px] nth-5:ml-3 ${control['aria-invalid'] ? 'border-bad' : 'border-edge'} ${caret === index ? 'outline-2 outline-offset-1 outline-stamp' : ''}`}
            >
              {value[index]}
            </span>
          ))}
          <input
            {...control}
            className="absolute inset-0 w-full bg-transparent font-mono text-[16px] text-transparent caret-transparent outline-none selection:bg-transparent"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            value={value}
            onChange={({ target }) => {
              const at = cleanCode(target.value.slice(0, target.selectionStart ?? undefined)).length
              onChange(cleanCode(target.value))
              // A cleaned value would move the caret to its end.
              requestAnimationFrame(() => target.setSelectionRange(at, at))
            }}
            onSelect={({ currentTarget }) => setCaret(Math.min(currentTarget.selectionStart ?? 0, codeLength - 1))}
            onFocus={({ currentTarget }) => setCaret(Math.min(currentTarget.selectionStart ?? 0, codeLength - 1))}
            onBlur={() => setCaret(undefined)}
          />
        </div>
      )}
    </Labelled>
  )
}
