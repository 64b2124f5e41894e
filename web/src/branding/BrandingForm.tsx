import { type Branding, type BrandingFields, getBranding, putBranding } from '@passport/contract/branding'
import { ApiError } from '@passport/contract/call'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import { PictureField } from '../directory/PictureField.tsx'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Field } from '../ui/Field.tsx'
import { toast } from '../ui/toast.ts'
import { AccentFields } from './AccentFields.tsx'
import { BrandPreview } from './BrandPreview.tsx'
import { introduction } from './introduction.ts'
import { useCopyBranding } from './use-copy-branding.tsx'

/** The fields of the form; empty ones are not saved. */
export interface BrandingValues {
  name: string
  logo: string
  favicon: string
  accentLight: string
  accentDark: string
  supportUrl: string
}

const labels = {
  name: 'Name',
  logo: 'Logo',
  favicon: 'Icon',
  accentLight: 'Light theme',
  accentDark: 'Dark theme',
  supportUrl: 'Support link',
}

const toSaved = (branding: Branding) => ({
  values: {
    name: branding.name ?? '',
    logo: branding.logo ?? '',
    favicon: branding.favicon ?? '',
    accentLight: branding.accent?.light ?? '',
    accentDark: branding.accent?.dark ?? '',
    supportUrl: branding.supportUrl ?? '',
  },
  version: branding.revision,
  record: branding,
})

function toFields(values: BrandingValues): BrandingFields {
  const { name, logo, favicon, accentLight: light, accentDark: dark, supportUrl } = values
  return {
    name: name.trim() || null,
    logo: logo || null,
    favicon: favicon || null,
    accent: light || dark ? { light, dark } : null,
    supportUrl: supportUrl.trim() || null,
  }
}

const nothing: BrandingFields = { name: null, logo: null, favicon: null, accent: null, supportUrl: null }
const accentFields: Record<string, string> = { 'accent.light': 'accentLight', 'accent.dark': 'accentDark' }

/** Saves the branding. The errors of the two colours get the names of their fields. */
async function save(body: BrandingFields, options: { ifMatch?: string }) {
  try {
    const saved = await call(putBranding, { body }, options)
    queryClient.setQueryData([getBranding.path, {}], saved)
    return { version: saved.revision, record: saved }
  } catch (error) {
    if (error instanceof ApiError)
      for (const entry of error.problem?.errors ?? []) entry.field = accentFields[entry.field] ?? entry.field
    throw error
  }
}

/** The document of this page has the former brand. */
function reportSaved() {
  const action = { label: 'Reload', run: () => location.reload() }
  void toast({ type: 'success', content: 'Saved. Open pages show it when they are loaded again.', action })
}

/** The form of the branding next to a live preview. */
export function BrandingForm({ branding }: { branding: Branding }) {
  const [isResetting, setResetting] = useState(false)
  const record = useRecordForm({
    saved: toSaved(branding),
    labels,
    save: (values, options, branding) => save({ ...branding, ...toFields(values) }, options),
    reload: async () => toSaved(await call(getBranding, {})),
    onSaved: reportSaved,
  })
  const { form, errorOf } = record
  const values = form.watch()
  const set = (name: keyof BrandingValues) => (value: string) => {
    form.setValue(name, value, { shouldDirty: true })
    form.clearErrors(name)
  }
  const copyConfig = useCopyBranding(branding)
  const isSaved = JSON.stringify(toFields(toSaved(branding).values)) !== JSON.stringify(nothing)

  async function reset() {
    setResetting(false)
    try {
      await save({ ...branding, ...nothing }, { ifMatch: `"${branding.revision}"` })
      form.reset({ name: '', logo: '', favicon: '', accentLight: '', accentDark: '', supportUrl: '' })
      reportSaved()
    } catch (error) {
      reportFailure('reset the branding', error)
      void queryClient.invalidateQueries({ queryKey: [getBranding.path] })
    }
  }

  return (
    <>
      <header className="mb-6 flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h1>Branding</h1>
          <p className="mt-1 text-ink2">{introduction}</p>
        </div>
        <PageMenu
          copyConfig={copyConfig}
          items={[
            ...(isSaved
              ? [
                  {
                    label: 'Reset to defaults…',
                    icon: <RotateCcw size={16} />,
                    isDanger: true,
                    onSelect: () => setResetting(true),
                  },
                ]
              : []),
          ]}
        />
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 min-[1100px]:grid-cols-[minmax(0,1fr)_480px]">
        <RecordFormFrame record={record} recordLabel="the branding">
          <Card title="Identity">
            <div className="grid gap-5 px-4 pt-1 pb-5 sm:px-[18px]">
              <Field
                label={labels.name}
                placeholder={branding.defaultName}
                autoComplete="off"
                hint={values.name.trim() === '' ? `Without one, it is ${branding.defaultName}.` : undefined}
                error={errorOf('name')}
                {...form.register('name')}
              />
              <PictureField
                label={labels.logo}
                hint="On pages and in emails. Wide or square, on light and dark backgrounds."
                value={values.logo}
                error={errorOf('logo')}
                onChange={set('logo')}
              />
              <PictureField
                label={labels.favicon}
                hint="In browser tabs. Square."
                isSmall
                value={values.favicon}
                error={errorOf('favicon')}
                onChange={set('favicon')}
              />
            </div>
          </Card>
          <Card
            title="Accent colour"
            action={
              (values.accentLight || values.accentDark) && (
                <Button
                  onClick={() => {
                    set('accentLight')('')
                    set('accentDark')('')
                  }}
                >
                  Use default colours
                </Button>
              )
            }
            description="Of links, the current tab and, instead of ink or gold, the main button."
          >
            <AccentFields
              values={values}
              labels={labels}
              errorOf={errorOf}
              refOf={(name) => form.register(name).ref}
              onChange={(name, value) => set(name)(value)}
            />
          </Card>
          <Card title="Support">
            <div className="px-4 pt-1 pb-5 sm:px-[18px]">
              <Field
                label={labels.supportUrl}
                placeholder="https://help.example or mailto:help@example.com"
                autoComplete="off"
                spellCheck={false}
                hint="Shown on sign-in and on error pages."
                error={errorOf('supportUrl')}
                {...form.register('supportUrl')}
              />
            </div>
          </Card>
        </RecordFormFrame>
        <BrandPreview
          brand={{
            name: values.name.trim() || branding.defaultName,
            logo: values.logo,
            favicon: values.favicon,
            accent: { light: values.accentLight, dark: values.accentDark },
            supportUrl: values.supportUrl.trim(),
          }}
        />
      </div>
      <Confirm
        isOpen={isResetting}
        title="Reset the branding?"
        action="Reset"
        onConfirm={() => void reset()}
        onClose={() => setResetting(false)}
      >
        Name, pictures, colours and support link become those of the configuration, or the defaults.
      </Confirm>
    </>
  )
}
