import { type DimensionKind, kindsOfPricingModel, maxDimensions } from '@passport/contract/aws-products'
import { ApiError } from '@passport/contract/call'
import { listEntitlements } from '@passport/contract/entitlements'
import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { query } from '../app/api.ts'
import type { RecordForm } from '../directory/record-form.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'
import { type DimensionValues, newDimension, type ProductValues } from './product-form.ts'
import { dimensionKindNames } from './words.ts'

interface DimensionsEditorProps {
  record: RecordForm<ProductValues>
  /** The failure of the last save, of which each dimension shows its own part. */
  error: unknown
}

const columns = 'sm:grid-cols-[minmax(0,1.2fr)_minmax(0,0.9fr)_minmax(0,1.3fr)_minmax(0,0.8fr)_32px]'

/** The dimensions of a product, each with the entitlement that buyers get by it. */
export function DimensionsEditor({ record, error }: DimensionsEditorProps) {
  const { watch, setValue, clearErrors } = record.form
  const [model, value, message] = [watch('pricingModel'), watch('dimensions'), record.errorOf('dimensions')]
  const onChange = (dimensions: DimensionValues[]) => {
    // The form does not submit with an error of a field that it does not render itself.
    clearErrors('dimensions')
    setValue('dimensions', dimensions, { shouldDirty: true })
  }
  const { data: entitlements } = useQuery(query(listEntitlements, { query: { limit: 200 } }))
  const errors = (error instanceof ApiError && error.problem?.errors) || []
  const errorOf = (index: number, field: keyof DimensionValues) =>
    errors.find((entry) => entry.field === `dimensions[${index}].${field}`)?.message
  const hasOwnErrors = errors.some(({ field }) => field.startsWith('dimensions['))
  const change = (index: number, changes: Partial<DimensionValues>) =>
    onChange(value.map((dimension, other) => (other === index ? { ...dimension, ...changes } : dimension)))

  /** Lists the entitlements that fit: usage is counted, so a metered dimension needs a quantity. */
  function listFitting({ kind, entitlementKey }: DimensionValues) {
    const fitting = (entitlements?.items ?? []).filter(
      (entitlement) => kind === 'entitled' || entitlement.kind === 'quantity',
    )
    const keys = fitting.map(({ key }) => key)
    // The stored one stays until the list has loaded, or if it no longer fits.
    const shown = entitlementKey && !keys.includes(entitlementKey) ? [entitlementKey, ...keys] : keys
    return [{ value: '', label: 'None' }, ...shown.map((key) => ({ value: key, label: key }))]
  }

  return (
    <div>
      <ul className="grid gap-4 sm:gap-2.5">
        {value.map((dimension, index) => {
          const ordinal = `dimension ${index + 1}`
          const labels = index === 0 ? '' : 'sm:[&_label]:sr-only'
          return (
            <li
              key={index}
              className={`relative grid gap-3 max-sm:rounded-ctl max-sm:border max-sm:border-line max-sm:p-3 ${columns} ${labels}`}
            >
              <Field
                label="Key"
                placeholder="seats"
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                className="font-mono text-[13px]"
                value={dimension.key}
                error={errorOf(index, 'key')}
                onChange={({ target }) => change(index, { key: target.value })}
              />
              <Select
                label="Kind"
                options={kindsOfPricingModel[model].map((kind) => ({ value: kind, label: dimensionKindNames[kind] }))}
                value={dimension.kind}
                error={errorOf(index, 'kind')}
                onChange={({ target }) => change(index, { kind: target.value as DimensionKind })}
              />
              <Select
                label="Entitlement"
                className="font-mono text-[13px]"
                options={listFitting(dimension)}
                value={dimension.entitlementKey}
                error={errorOf(index, 'entitlementKey')}
                onChange={({ target }) => change(index, { entitlementKey: target.value })}
              />
              <Field
                label="Unit"
                placeholder="Optional"
                autoComplete="off"
                value={dimension.unit}
                error={errorOf(index, 'unit')}
                onChange={({ target }) => change(index, { unit: target.value })}
              />
              <button
                type="button"
                aria-label={`Remove ${dimension.key || ordinal}`}
                disabled={value.length === 1}
                className={`btn btn-ghost btn-small px-2 max-sm:absolute max-sm:top-1 max-sm:right-1 ${index === 0 ? 'sm:mt-[29px]' : 'sm:mt-0.5'}`}
                onClick={() => onChange(value.filter((_, other) => other !== index))}
              >
                <X size={15} />
              </button>
            </li>
          )
        })}
      </ul>
      {message && !hasOwnErrors && (
        <p role="alert" className="mt-2 text-[13px] text-bad">
          {message}
        </p>
      )}
      {value.length < maxDimensions && (
        <Button isSmall className="mt-3" onClick={() => onChange([...value, newDimension(model)])}>
          <Plus size={15} aria-hidden="true" />
          Add dimension
        </Button>
      )}
    </div>
  )
}
