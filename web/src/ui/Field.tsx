import type { ComponentProps } from 'react'
import { Labelled, type LabelledProps } from './Labelled.tsx'

/** An input with its label; takes what `register` of a form gives. */
export function Field({ label, isLabelHidden, hint, error, className = '', ...input }: FieldProps) {
  return (
    <Labelled {...{ label, isLabelHidden, hint, error }}>
      {(control) => <input {...input} {...control} className={`ctl ${className}`} />}
    </Labelled>
  )
}
type FieldProps = LabelledProps & ComponentProps<'input'>
