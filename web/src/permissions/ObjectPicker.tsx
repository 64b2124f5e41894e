import type { SubjectReference } from '@passport/contract/permission-terms'
import { Suspense, useId } from 'react'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Select } from '../ui/Select.tsx'
import { useObjectName } from './ObjectName.tsx'

interface ObjectPickerProps {
  /** The name of the group, such as “Subject”. */
  label: string
  /** The types to choose from. */
  types: readonly string[]
  /** The relations of the type that can form a set, if sets may be picked. */
  relations?: readonly string[]
  value: SubjectReference
  onChange: (value: SubjectReference) => void
  /** The error shown below. */
  error?: string | undefined
}

const IdBox = lazyPart(async () => (await import('./ObjectIdBox.tsx')).ObjectIdBox)

/**
 * Picks an object, or a set, by its type and part of its id or of its name in the directory; any id can be typed. The
 * completions are loaded when first shown.
 *
 *     <ObjectPicker label="Subject" types={subjectTypes(schema)} value={subject} onChange={setSubject} />
 */
export function ObjectPicker({ label, types, relations = [], value, onChange, error }: ObjectPickerProps) {
  const id = useId()
  const name = useObjectName(value)
  const availableTypes = types.includes(value.type) || value.type === '' ? types : [value.type, ...types]
  const message = error ?? name
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row
    <div role="group" aria-label={label} className="min-w-0">
      <div className="flex flex-wrap gap-1.5 sm:flex-nowrap">
        <div className="min-w-32 shrink-0 grow basis-32 sm:max-w-48 sm:grow-0 sm:basis-auto">
          <Select
            label={`${label}: type`}
            isLabelHidden
            value={value.type}
            options={availableTypes.map((type) => ({ value: type, label: type }))}
            onChange={({ target }) => onChange({ type: target.value, id: '' })}
          />
        </div>
        <div className="min-w-36 flex-1 basis-36">
          <Suspense fallback={<div className="ctl" aria-busy="true" />}>
            <IdBox
              label={`${label}: id`}
              type={value.type}
              value={value.id}
              onChange={(next) => onChange({ ...value, id: next })}
              describedBy={message ? id : undefined}
              isInvalid={error !== undefined}
            />
          </Suspense>
        </div>
        {relations.length > 0 && (
          <div className="min-w-28 shrink-0 grow basis-28 sm:max-w-40 sm:grow-0">
            <Select
              label={`${label}: relation`}
              isLabelHidden
              value={value.relation ?? ''}
              options={[
                { value: '', label: 'itself' },
                ...relations.map((relation) => ({ value: relation, label: `#${relation}` })),
              ]}
              onChange={({ target }) =>
                onChange({ type: value.type, id: value.id, ...(target.value && { relation: target.value }) })
              }
            />
          </div>
        )}
      </div>
      {message && (
        <p id={id} className={`mt-1.5 text-[13px] ${error ? 'text-bad' : 'text-ink2'}`}>
          {message}
        </p>
      )}
    </div>
  )
}
