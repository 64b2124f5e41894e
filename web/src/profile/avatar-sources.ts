import type { ModelSource, PictureSource } from '@passport/contract/avatar'

/** Where a picture or a model comes from, in the console. */
export const sourceNames: Record<PictureSource | ModelSource, string> = {
  upload: 'Uploaded',
  url: 'Imported from a URL',
  poster: 'Taken from the 3D avatar',
  'legacy-readyplayerme': 'Archived from Ready Player Me',
}
