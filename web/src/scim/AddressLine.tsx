import { CopyButton } from '../ui/CopyButton.tsx'

/** The address to enter at the identity provider, with Copy. */
export const AddressLine = ({ url }: { url: string }) => (
  <div className="px-4 pb-3 sm:px-[18px]">
    <p className="mb-1 text-[13px] text-ink3">Tenant URL</p>
    <div className="flex items-center gap-1 rounded-ctl border border-line bg-well pr-1 pl-2.5">
      <code className="min-w-0 flex-1 py-1.5 font-mono text-[12.5px] break-all">{url}</code>
      <CopyButton text={url} label="Copy tenant URL" />
    </div>
  </div>
)
