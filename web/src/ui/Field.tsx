import type { ComponentProps } from 'react'
import { Labelled, type LabelledProps } from './Labelled.tsx'

/** A labelled input; accepts the props returned by a form's `register`. */
export function Field({ label, isLabelHidden, hint, error, className = '', ...input }: FieldProps) {
  return (
    <Labelled {...{ label, isLabelHidden, hint, error }}>
      {(control) => <input {...input} {...control} className={`ctl ${className}`} />}
    </Labelled>
  )
}
type FieldProps = LabelledProps & ComponentProps<'input'>
