import type { ComponentProps } from 'react'
import { Labelled, type LabelledProps } from './Labelled.tsx'

export interface Option {
  value: string
  label: string
}

interface SelectProps extends LabelledProps, ComponentProps<'select'> {
  options: readonly Option[]
}

/** A labelled native select; accepts the props returned by a form's `register`. */
export function Select({ label, isLabelHidden, hint, error, options, className = '', ...select }: SelectProps) {
  return (
    <Labelled {...{ label, isLabelHidden, hint, error }}>
      {(control) => (
        <select {...select} {...control} className={`ctl ctl-select ${className}`}>
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}
