import type { ComponentProps } from 'react'
import { Labelled, type LabelledProps } from './Labelled.tsx'

/** A labelled multi-line input; accepts the props returned by a form's `register`. */
export function TextArea({ label, isLabelHidden, hint, error, className = '', ...area }: TextAreaProps) {
  return (
    <Labelled {...{ label, isLabelHidden, hint, error }}>
      {(control) => (
        <textarea rows={3} {...area} {...control} className={`ctl h-auto py-2 pointer-coarse:h-auto ${className}`} />
      )}
    </Labelled>
  )
}
type TextAreaProps = LabelledProps & ComponentProps<'textarea'>
