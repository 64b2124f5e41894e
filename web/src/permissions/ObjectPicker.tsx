import type { SubjectReference } from '@passport/contract/permission-terms'
import { Suspense, useId } from 'react'
import { lazyPart } from '../ui/lazy-part.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { ObjectPicture, useObjectName } from './ObjectName.tsx'
import { objectKindOf } from './object-kind.ts'

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
  /** Whether it has the focus at first. */
  isFirst?: boolean
}

const IdBox = lazyPart(async () => (await import('./ObjectIdBox.tsx')).ObjectIdBox)

/**
 * Picks an object, or a set, by part of its id or of its name in the directory, and its type; any id can be typed. The
 * completions are loaded when first shown.
 *
 *     <ObjectPicker label="Subject" types={subjectTypes(schema)} value={subject} onChange={setSubject} />
 */
export function ObjectPicker({ label, types, relations = [], value, onChange, error, isFirst }: ObjectPickerProps) {
  const id = useId()
  const name = useObjectName(value)
  const availableTypes = types.includes(value.type) || value.type === '' ? types : [value.type, ...types]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row
    <div role="group" aria-label={label} className="min-w-0">
      <div
        className={`flex h-10 items-center rounded-ctl border bg-card pl-2 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-stamp pointer-coarse:h-11 ${error ? 'border-bad' : 'border-edge'}`}
      >
        {value.id === '' ? (
          <ObjectIcon kind={objectKindOf(value.type)} size={26} />
        ) : (
          <ObjectPicture object={value} size={26} />
        )}
        <div className="min-w-0 flex-1">
          <Suspense fallback={<div className="h-9" aria-busy="true" />}>
            <IdBox
              label={`${label}: id`}
              type={value.type}
              value={value.id}
              name={name}
              onChange={(next) => onChange({ ...value, id: next })}
              errorId={error === undefined ? undefined : id}
              isFirst={isFirst}
            />
          </Suspense>
        </div>
        <select
          aria-label={`${label}: type`}
          value={value.type}
          className={selectClass}
          onChange={({ target }) => onChange({ type: target.value, id: '' })}
        >
          {availableTypes.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
        {relations.length > 0 && (
          <select
            aria-label={`${label}: relation`}
            value={value.relation ?? ''}
            className={selectClass}
            onChange={({ target }) =>
              onChange({ type: value.type, id: value.id, ...(target.value && { relation: target.value }) })
            }
          >
            <option value="">itself</option>
            {relations.map((relation) => (
              <option key={relation} value={relation}>
                #{relation}
              </option>
            ))}
          </select>
        )}
      </div>
      {error && (
        <p id={id} className="mt-1.5 text-[13px] text-bad">
          {error}
        </p>
      )}
    </div>
  )
}

/** As wide as the selected option, where browsers can do that. */
const selectClass =
  'ctl-select h-full min-w-0 shrink-0 border-l border-line bg-transparent pl-2.5 text-[13px] text-ink2 outline-none [field-sizing:content] last:rounded-r-ctl focus-visible:bg-selection'
