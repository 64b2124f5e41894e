import { createEntitlement, type EntitlementKind } from '@passport/contract/entitlements'
import { Hash, ToggleRight } from 'lucide-react'
import { call } from '../app/api.ts'
import { CreatePage } from '../directory/CreatePage.tsx'
import { searchOrgs } from '../directory/find-records.ts'
import { Card } from '../ui/Card.tsx'
import { ChoiceCard } from '../ui/ChoiceCard.tsx'
import { Field } from '../ui/Field.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { startOfDay } from './days.ts'
import { kindNames } from './words.ts'

const kinds = [
  { value: 'quantity', icon: Hash, hint: 'A number for each organisation, such as 25 seats.' },
  { value: 'flag', icon: ToggleRight, hint: 'On or off, such as a feature.' },
] as const

interface Values {
  name: string
  key: string
  kind: EntitlementKind
  unit: string
  description: string
  orgs: Pickable[]
  quantity: string
  endsAt: string
}

const initialValues: Values = {
  name: '',
  key: '',
  kind: 'quantity',
  unit: '',
  description: '',
  orgs: [],
  quantity: '',
  endsAt: '',
}

function toBody({ name, key, kind, unit, description, orgs, quantity, endsAt }: Values) {
  const hasQuantity = kind === 'quantity'
  return {
    name,
    key,
    kind,
    description,
    unit: hasQuantity && unit.trim() ? unit : null,
    grants: orgs.map(({ id }) => ({
      orgId: id,
      quantity: hasQuantity && quantity.trim() ? Number(quantity) : null,
      endsAt: startOfDay(endsAt)?.toISOString() ?? null,
    })),
  }
}

/** Creates a definition, with the first grants if there are any. */
export function CreateEntitlementPage() {
  return (
    <CreatePage<Values, { id: string }>
      kind="entitlement"
      list={{ to: '/admin/entitlements', label: 'Entitlements' }}
      initialValues={initialValues}
      labels={{
        name: 'Name',
        key: 'Key',
        kind: 'Kind',
        unit: 'Unit',
        description: 'Description',
        orgs: 'Organisations',
        quantity: 'Quantity for each',
        endsAt: 'Ends',
      }}
      fieldByCode={{
        'key-taken': 'key',
        'quantity-invalid': 'quantity',
        'period-invalid': 'endsAt',
        'org-not-found': 'orgs',
      }}
      create={(values) => call(createEntitlement, { body: toBody(values) })}
      pageOf={({ id }) => ({ to: '/admin/entitlements/$entitlementId/edit', params: { entitlementId: id } })}
    >
      {({ form: { register, watch, setValue }, errorOf }) => {
        const { kind, orgs, unit } = watch()
        return (
          <>
            <section className="grid gap-4 px-4 py-[18px] sm:px-[18px]">
              <div className="grid gap-4 sm:grid-cols-2">
                <Field
                  label="Name"
                  placeholder="Seats"
                  autoComplete="off"
                  error={errorOf('name')}
                  {...register('name')}
                />
                <Field
                  label="Key"
                  placeholder="stage.seats"
                  hint="Your apps read it. It can't be changed."
                  className="font-mono text-[13px]"
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  error={errorOf('key')}
                  {...register('key')}
                />
              </div>
              <fieldset>
                <legend className="font-[560]">Kind</legend>
                <div className="mt-1.5 grid gap-2 sm:grid-cols-2">
                  {kinds.map(({ value, icon, hint }) => (
                    <ChoiceCard
                      key={value}
                      value={value}
                      icon={icon}
                      label={kindNames[value]}
                      hint={hint}
                      {...register('kind')}
                    />
                  ))}
                </div>
              </fieldset>
              <div className="grid gap-4 sm:grid-cols-2">
                {kind === 'quantity' && (
                  <Field
                    label="Unit"
                    placeholder="seats"
                    hint="In the plural. Optional."
                    autoComplete="off"
                    error={errorOf('unit')}
                    {...register('unit')}
                  />
                )}
                <div className={kind === 'quantity' ? '' : 'sm:col-span-2'}>
                  <Field
                    label="Description"
                    hint="Optional."
                    autoComplete="off"
                    error={errorOf('description')}
                    {...register('description')}
                  />
                </div>
              </div>
            </section>
            <Card title="First grants" description="Optional. You can add grants later.">
              <div className="grid gap-4 px-4 pb-[18px] sm:px-[18px]">
                <Picker
                  label="Organisations"
                  placeholder="Name, slug or ID"
                  search={searchOrgs}
                  picked={orgs}
                  error={errorOf('orgs')}
                  onPick={(picked) => setValue('orgs', picked, { shouldDirty: true })}
                />
                {orgs.length > 0 && (
                  <div className="grid gap-4 sm:grid-cols-2">
                    {kind === 'quantity' && (
                      <Field
                        label={unit.trim() ? `Quantity for each, in ${unit.trim()}` : 'Quantity for each'}
                        inputMode="numeric"
                        placeholder="25"
                        autoComplete="off"
                        error={errorOf('quantity')}
                        {...register('quantity')}
                      />
                    )}
                    <Field
                      label="Ends"
                      type="date"
                      hint="No end, if empty."
                      error={errorOf('endsAt')}
                      {...register('endsAt')}
                    />
                  </div>
                )}
              </div>
            </Card>
          </>
        )
      }}
    </CreatePage>
  )
}
