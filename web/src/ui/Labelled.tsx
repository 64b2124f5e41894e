import { type ReactNode, useId } from 'react'

export interface LabelledProps {
  label: string
  /** Hides the label visually where the context shows it; screen readers still read it. */
  isLabelHidden?: boolean | undefined
  hint?: ReactNode
  error?: string | undefined
}

interface ControlProps {
  id: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

/** A control with its label and its associated hint or error. */
export function Labelled({
  label,
  isLabelHidden = false,
  hint,
  error,
  children,
}: LabelledProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId()
  const message = error ?? hint
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'mb-1.5 block font-[560]'}>
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': message ? `${id}-message` : undefined,
      })}
      {message && (
        <p id={`${id}-message`} className={`mt-1.5 text-[13px] ${error ? 'text-bad' : 'text-ink3'}`}>
          {message}
        </p>
      )}
    </div>
  )
}
