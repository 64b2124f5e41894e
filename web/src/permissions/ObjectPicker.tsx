import type { ObjectReference, SubjectReference } from '@passport/contract/permission-terms'
import { Suspense, useId } from 'react'
import { lazyPart } from '../ui/lazy-part.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { ObjectPicture, useObjectName } from './ObjectName.tsx'
import { objectKindOf } from './object-kind.ts'
import { describeType } from './reference.ts'

interface ObjectPickerProps {
  /** The name of the group, such as “Subject”. */
  label: string
  /** The types to choose from; an empty one means any. */
  types: readonly string[]
  /** The relations that form usersets of the type, if usersets can be picked. */
  relations?: readonly string[]
  value: SubjectReference
  onChange: (value: SubjectReference) => void
  /** Called instead of `onChange` when a completion is picked. Without a type, it has one of `namedTypes`. */
  onPick?: (object: ObjectReference) => void
  /** The types that are searched by name while no type is selected. */
  namedTypes?: readonly string[]
  /** Shown in the empty field, unless objects of the type have names. */
  placeholder?: string
  /** The error shown below. */
  error?: string | undefined
  /** Whether it has the focus at first. */
  isFirst?: boolean
}

const IdBox = lazyPart(async () => (await import('./ObjectIdBox.tsx')).ObjectIdBox)

/**
 * Picks an object or a userset: its type, and its id by a prefix or by a part of the directory name. Any id can be typed.
 * The code of the completions is loaded when first shown.
 *
 *     <ObjectPicker label="Subject" types={listSubjectTypes(schema)} value={subject} onChange={setSubject} />
 */
export function ObjectPicker(props: ObjectPickerProps) {
  const { label, types, relations = [], namedTypes = [] } = props
  const { value, placeholder = `${value.type} ID`, onChange, onPick, error, isFirst } = props
  const changeId = (next: string) => onChange({ ...value, id: next })
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
              label={`${label} ID`}
              type={value.type}
              value={value.id}
              name={name}
              onChange={changeId}
              onPick={onPick ?? (({ id }) => changeId(id))}
              types={namedTypes}
              placeholder={placeholder}
              errorId={error === undefined ? undefined : id}
              isFirst={isFirst}
            />
          </Suspense>
        </div>
        <select
          aria-label={`${label} type`}
          value={value.type}
          className={selectClass}
          onChange={({ target }) => onChange({ type: target.value, id: '' })}
        >
          {availableTypes.map((type) => (
            <option key={type} value={type}>
              {type ? describeType({ type }) : 'Any type'}
            </option>
          ))}
        </select>
        {relations.length > 0 && (
          <select
            aria-label={`${label} relation`}
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

/** The select is as wide as its selected option in browsers with `field-sizing`. */
const selectClass =
  'ctl-select h-full min-w-0 shrink-0 border-l border-line bg-transparent pl-2.5 text-[13px] text-ink2 outline-none [field-sizing:content] last:rounded-r-ctl focus-visible:bg-selection'
