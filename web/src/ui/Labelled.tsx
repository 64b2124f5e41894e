import { type ReactNode, useId } from 'react'

export interface LabelledProps {
  label: string
  /** For eyes that have the context: the label is read out but not shown. */
  isLabelHidden?: boolean | undefined
  hint?: ReactNode
  error?: string | undefined
}

interface ControlProps {
  id: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

/** A control with its label, and with what is wrong with it tied to it. */
export function Labelled({
  label,
  isLabelHidden = false,
  hint,
  error,
  children,
}: LabelledProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId()
  const told = error ?? hint
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'mb-1.5 block font-[560]'}>
        {label}
      </label>
      {children({ id, 'aria-invalid': error ? true : undefined, 'aria-describedby': told ? `${id}-told` : undefined })}
      {told && (
        <p id={`${id}-told`} className={`mt-1.5 text-[13px] ${error ? 'text-bad' : 'text-ink3'}`}>
          {told}
        </p>
      )}
    </div>
  )
}
