import { type ComponentProps, type ReactNode, useId } from 'react'

interface FieldProps extends ComponentProps<'input'> {
  label: string
  /** For eyes that have the context: the label is read out but not shown. */
  isLabelHidden?: boolean
  hint?: ReactNode
  error?: string | undefined
}

/** An input with its label, and with what is wrong with it tied to it. */
export function Field({ label, isLabelHidden = false, hint, error, className = '', ...input }: FieldProps) {
  const id = useId()
  const told = error ?? hint
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'mb-1.5 block font-[560]'}>
        {label}
      </label>
      <input
        {...input}
        id={id}
        className={`ctl ${className}`}
        aria-invalid={error ? true : undefined}
        aria-describedby={told ? `${id}-told` : undefined}
      />
      {told && (
        <p id={`${id}-told`} className={`mt-1.5 text-[13px] ${error ? 'text-bad' : 'text-ink3'}`}>
          {told}
        </p>
      )}
    </div>
  )
}
