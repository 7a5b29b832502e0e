// Problems in sentences: what happened, what was kept, what to do. One entry per code of PROBLEM_CODES.
export const problems = {
  'storage-full': {
    what: 'The browser has no room left for Recollect.',
    kept: 'Everything saved so far is safe. What you just wrote stays on the screen until it can be saved.',
    do: 'Make room under Settings › Storage: empty the trash or export and erase old conversations. Then save again.',
    what_start: 'The browser has no room left, not even to open your conversations.',
    kept_start: 'Nothing was changed. What was saved is still on this device.',
    do_start:
      'Make room on this device, then reload the page. Do not clear the data of this site: your conversations are in it.',
  },
  'storage-unavailable': {
    what: 'The browser does not let Recollect keep anything on this device.',
    kept: 'You can look around and chat, but everything is gone when this tab closes.',
    do: 'Leave private browsing, or allow this site to store data, and reload the page.',
  },
  'storage-held': {
    what: 'Another tab, or the browser itself, holds your conversations and does not let go of them.',
    kept: 'Everything saved so far is safe. The last change stays on the screen and is tried again.',
    kept_start: 'Nothing was changed. All conversations are where they were.',
    do: 'Close other tabs of Recollect and leave this one open.',
    do_start:
      'Close other tabs of Recollect, then reload this page. If that does not help, close the browser and open it again.',
  },
  'storage-failed': {
    what: 'The browser’s storage failed.',
    kept: 'Everything saved so far is safe. A change that was not saved stays on the screen and is tried again.',
    do: 'Leave this tab open. If it keeps failing, copy your last message and reload the page.',
    what_read: 'This could not be read: the browser’s storage failed.',
    kept_read: 'Nothing was changed. What was saved is still on this device.',
    do_read: 'Try again. If it keeps failing, reload the page.',
    what_start: 'The browser failed to open your conversations.',
    kept_start: 'Recollect changed nothing and deleted nothing.',
    do_start:
      'Reload the page. If that does not help, close the browser and open it again. Do not clear the data of this site: your conversations are in it.',
  },
  'storage-lost': {
    what: 'The browser found its database damaged and deleted it, with the conversations in it.',
    kept: 'Nothing of it is left in this browser. What you write from now on is saved.',
    do: 'Import your last export under Settings › Storage. Copies on your other devices are not affected.',
  },
  'storage-healed': {
    what: 'The browser damaged its database and lost a part of your conversations.',
    kept: 'They are back, with drafts and settings: {{restored}} changes came from the second copy on this device.',
    do: 'Enter your API keys again under Settings › Models, and pair sync anew if you used it: keys have no second copy. If this happens again, check the disk and export your library under Settings › Storage.',
  },
  'storage-truncated': {
    what: 'The browser damaged its database: {{missing}} changes of your conversations are missing, and the second copy does not have them.',
    kept: 'Everything else is there; {{restored}} changes came back from the second copy.',
    do: 'Import your last export under Settings › Storage. Copies on your other devices are not affected.',
  },
  'copy-full': {
    what: 'There is no room left for the second copy of your conversations on this device.',
    kept: 'Every message is still saved, once. The second copy goes on as soon as there is room.',
    do: 'Free some space on this device, or clean up under Settings › Storage.',
  },
  'newer-log': {
    what: 'Your conversations were written by a newer version of Recollect.',
    kept: 'Nothing was changed. All conversations are where they were.',
    do: 'Reload the page to get the new version.',
  },
  'newer-index': {
    what: 'The memory index was made by a newer version of Recollect.',
    kept: 'Nothing was changed. Your conversations can be read as always; only searching waits.',
    do: 'Reload the page to get the new version, or rebuild the index under Memory.',
  },
  'newer-conversation': {
    what: 'This conversation was written by a newer version of Recollect.',
    kept: 'It can be read here as far as this version understands it. Nothing in it was changed.',
    do: 'Reload the page to get the new version.',
  },
  'damaged-entry': {
    what: 'A part of a conversation cannot be read.',
    kept: 'The damaged part was left in place, and everything around it is shown.',
    do: 'Export this conversation now. If you have an older export, import it: only what is missing is added.',
  },
  'index-unavailable': {
    what: 'The memory index cannot be opened.',
    kept: 'All conversations are safe and can be read; only searching and recall are off.',
    do: 'Close other tabs of Recollect and reload. If that does not help, rebuild the index under Memory.',
  },
  'index-damaged': {
    what: 'The memory index was damaged.',
    kept: 'All conversations are safe: the index is made from them and is being rebuilt automatically.',
    do: 'Nothing. Until it is done, searching and recall find what has been read again so far.',
  },
  'index-crashed': {
    what: 'The memory index stopped in the middle of its work.',
    kept: 'All conversations are safe, and so is what the index already knew: it is being opened again.',
    do: 'Nothing. If it happens again and again, rebuild the index under Memory.',
  },
  'memory-behind': {
    what: 'Memory is still getting ready: not everything could be compared by meaning.',
    kept: 'All that was said is found by its words.',
    do: 'Ask again in a moment. Activity, at the foot of the sidebar, shows how far it is.',
  },
  'no-model': {
    what: 'No model is connected.',
    kept: 'Your message is saved, and memory still answers.',
    kept_temporary:
      'Your message stays here as long as this temporary conversation does, and memory still answers.',
    do: 'Connect a model under Settings › Models.',
  },
  'model-key': {
    what: '$t(problems:model-key.whatOf.{{reason}}, {"defaultValue":"The service does not accept this key (401)."})',
    kept: 'Your message is saved.',
    kept_temporary: 'Your message stays here as long as this temporary conversation does.',
    do: '$t(problems:model-key.why.{{reason}}, {"defaultValue":"Check that the key was copied in full, belongs to this service and has not been revoked."})',
    whatOf: {
      characters: 'This cannot be a key.',
      invalid: 'The service does not accept this key.',
      missing: 'The service wants a key.',
    },
    why: {
      missing: 'Enter the key of this service under Settings › Models.',
      characters: 'The key has characters that no key has: copy it again, without the text around it.',
    },
  },
  'model-forbidden': {
    what: 'The key is known, but it may not use this.',
    kept: 'Your message is saved.',
    kept_temporary: 'Your message stays here as long as this temporary conversation does.',
    do: '$t(problems:model-forbidden.why.{{reason}}, {"defaultValue":"Look in your account there: the model may need to be enabled, paid for or allowed for your region."})',
    why: {
      balance: 'The account has no credit left: add some there, or choose another model.',
    },
  },
  'model-not-found': {
    what: '$t(problems:model-not-found.whatOf.{{reason}}, {"defaultValue":"There is nothing at this address, or the service does not know this model (404)."})',
    kept: 'Your message is saved.',
    kept_temporary: 'Your message stays here as long as this temporary conversation does.',
    do: '$t(problems:model-not-found.why.{{reason}}, {"defaultValue":"Check the base URL, which often ends in /v1, and choose a model from the list."})',
    whatOf: {
      address: 'This is not a web address.',
      credentials: 'The address has a name and a password in it.',
      redirect: 'The address points to somewhere else (redirect).',
    },
    why: {
      address: 'It begins with https:// (or http:// for this computer).',
      credentials: 'Browsers do not send them. Take them out of the address; a key has a field of its own.',
      redirect: 'Enter the address it points to.',
      model: 'The service does not know {{model}}. Choose a model from its list.',
      path: 'Check the base URL: it often ends in /v1.',
      versioned: 'Nothing answers at this base URL: check its host, port and path.',
    },
  },
  'model-rate': {
    what: '$t(problems:model-rate.whatOf.{{reason}}, {"defaultValue":"Too many requests ({{status}})."})',
    what_502: 'The service got no answer from the server behind it (502).',
    what_503: 'The service takes no requests at the moment (503).',
    what_504: 'The server behind the service did not answer in time (504).',
    what_overloaded: 'The service is overloaded ({{status}}).',
    kept: 'Your message is saved.',
    kept_temporary: 'Your message stays here as long as this temporary conversation does.',
    do: '$t(problems:model-rate.why.{{reason}}, {"defaultValue":"Try again in a moment, or check the limits of your account."})',
    whatOf: { quota: 'The quota of the account is used up (429).' },
    why: {
      quota: 'Add credit there or wait for the next period, or choose another model.',
      seconds: 'Try again {{seconds, relativetime(range: second)}}.',
      minutes: 'Try again {{minutes, relativetime(range: minute)}}.',
      hours: 'Try again {{hours, relativetime(range: hour)}}.',
      soon: 'Try again in a moment.',
    },
  },
  'model-network': {
    what: 'The service cannot be reached.',
    kept: 'Your message is saved. Reading, searching and recall work without a network.',
    kept_temporary:
      'Your message stays here as long as this temporary conversation does. Reading, searching and recall work without a network.',
    do: '$t(problems:model-network.why.{{reason}}, {"defaultValue":"Check the network and the address. A model on this computer must be running."})',
    why: {
      offline: 'This device is offline. It works again when the network is back.',
      'mixed-content':
        'This page is served over https, and browsers then refuse plain http to other machines. Use https there, or open Recollect on that machine.',
      policy: 'This page may not talk to {{endpoint}}. Save the service first, then reload the page.',
      silent: '{{endpoint}} did not answer in time. It may be busy or loading the model; try again.',
    },
  },
  'model-cors': {
    what: 'The service is there, but it does not allow web pages to talk to it (CORS).',
    kept: 'Your message is saved.',
    kept_temporary: 'Your message stays here as long as this temporary conversation does.',
    do: '$t(problems:model-cors.why.{{reason}}, {"defaultValue":"Allow this page at the service, or use one that allows browsers, such as OpenRouter."})',
    why: {
      local:
        'Allow this page there. Ollama: start it with OLLAMA_ORIGINS set to the address of this page. LM Studio: switch on CORS in its server settings.',
      remote:
        'It has to be allowed at {{endpoint}}. Where you cannot change that, use a service that allows browsers, such as OpenRouter.',
    },
  },
  'model-server': {
    what: '$t(problems:model-server.whatOf.{{reason}}, {"defaultValue":"Something broke at the service."})',
    what_502: 'The service got no answer from the server behind it (502).',
    what_503: 'The service takes no requests at the moment (503).',
    what_504: 'The server behind the service did not answer in time (504).',
    what_overloaded: 'The service is overloaded ({{status}}).',
    whatOf: {
      images: 'This model takes no images.',
      picture: 'The service did not take an image of this conversation.',
      size: 'The request is larger than the service takes (413).',
      list: 'The service did not tell its models.',
      request: 'The service did not accept the request.',
      input: 'The service did not accept the request.',
    },
    kept: 'Your message is saved.',
    kept_temporary: 'Your message stays here as long as this temporary conversation does.',
    do: '$t(problems:model-server.why.{{reason}}, {"defaultValue":"Try again in a moment. If it keeps failing, check the service’s status page."})',
    why: {
      size: 'Send it without images, attach less, or continue in a new conversation: memory recalls what matters.',
      images: 'Send it without images, or choose a model that sees. The images stay in the conversation.',
      picture:
        'It may be too large, or damaged. Send it without images, or attach it in another form. The images stay in the conversation.',
      list: 'Check the base URL and the key, or type the model and connect.',
      request: 'Sending it without tools or without thoughts may help.',
      input:
        'It refused this part of the request: {{input}}. The request was sent again without it and refused again. Sending it without tools or without thoughts may help.',
    },
  },
  'model-format': {
    what: 'The answer is not in a form that this service was expected to send.',
    kept: 'Whatever could be read was kept.',
    do: '$t(problems:model-format.why.{{reason}}, {"defaultValue":"Check that the base URL points to the API."})',
    why: {
      'web-page': 'A web page answered. Check that the base URL points to the API: it often ends in /v1.',
      'not-a-list': 'The address answers, but not with a list of models. Check the base URL.',
      anthropic:
        'This address answers as Anthropic’s does. Connect it again under Settings › Models: choose Anthropic, and enter this address.',
      google:
        'This address answers as Google’s does. Connect it again under Settings › Models: choose Google Gemini, and enter this address.',
      'openai-responses':
        'This address answers as OpenAI’s Responses do. Connect it again under Settings › Models: choose OpenAI, and enter this address.',
      chat: 'This address answers with chat completions. Connect it again under Settings › Models: choose Custom, and enter this address.',
      pieces:
        'Some pieces of this answer could not be read, so words may be missing. Ask for it again to have it whole.',
    },
  },
  'model-cut': {
    what: '$t(problems:model-cut.whatOf.{{reason}}, {"defaultValue":"The answer broke off before its end."})',
    kept: '$t(problems:model-cut.keptOf.{{reason}}, {"defaultValue":"What had arrived is kept and marked."})',
    do: '$t(problems:model-cut.why.{{reason}}, {"defaultValue":"Try again, or ask the model to continue."})',
    whatOf: { nothing: 'The connection ended before anything of the answer had arrived.' },
    keptOf: { nothing: 'Your message stays as it is.' },
    why: { nothing: 'Try again.', again: 'Try again.' },
  },
  'model-context': {
    what: 'The conversation is longer than this model can read at once.',
    kept: 'Your message and the whole conversation are saved.',
    kept_temporary:
      'Your message and the whole conversation stay here as long as this temporary conversation does.',
    do: 'Choose a model with a larger window, or continue in a new conversation: memory recalls what matters.',
    do_temporary: 'Choose a model with a larger window, or begin a new conversation.',
  },
  'model-refused': {
    what: '$t(problems:model-refused.whatOf.{{reason}}, {"defaultValue":"The service refused the request."})',
    whatOf: {
      held: 'The service held the answer back.',
      stopped: 'The service held the rest of the answer back. What had arrived is kept.',
    },
    kept: 'Your message is saved.',
    kept_temporary: 'Your message stays here as long as this temporary conversation does.',
    do: 'Another model or another wording may be accepted.',
  },
  'model-browser': {
    what: '$t(problems:model-browser.whatOf.{{reason}}, {"defaultValue":"The model of this browser failed."})',
    kept: 'Your message is saved.',
    kept_temporary: 'Your message stays here as long as this temporary conversation does.',
    do: '$t(problems:model-browser.doOf.{{reason}}, {"defaultValue":"Try again, or choose another model under Settings › Models."})',
    whatOf: {
      unavailable: 'This browser has no model of its own that could answer.',
      download:
        'The model of this browser has to be downloaded first, and the browser wants a click for that.',
    },
    doOf: {
      unavailable:
        'Choose another model under Settings › Models, or use a recent Chrome or Edge on a computer.',
      download: 'Open Settings › Models › This browser and press Download and use.',
    },
  },
  'embedding-missing': {
    what: 'The files of the embedding model are not here.',
    kept: 'Your conversations and the keyword index are complete. Recall by words still works; recall by meaning waits.',
    do: 'Go online once and try again, or choose another model under Settings › Memory and recall.',
  },
  'embedding-broken': {
    what: '$t(problems:embedding-broken.whatOf.{{reason}}, {"defaultValue":"The embedding model cannot run in this browser."})',
    kept: 'Your conversations and the keyword index are complete. Recall by words still works; recall by meaning waits.',
    do: '$t(problems:embedding-broken.doOf.{{reason}}, {"defaultValue":"Set the device to WASM, or choose another model under Settings › Memory and recall."})',
    whatOf: { file: 'A file of the embedding model is damaged or cut off: {{file}}.' },
    doOf: {
      file: 'Go online once and try again, so that it is fetched anew, or choose another model under Settings › Memory and recall.',
    },
  },
  'embedding-remote': {
    what: 'The embedding service did not answer as it should.',
    kept: 'Your conversations and the keyword index are complete. Recall by words still works; the rest is read when the service answers again.',
    do: 'Check key, address and model under Settings › Memory and recall, or switch to the local model.',
  },
  'import-kimi-code': {
    what: 'This is a session of kimi-code, and no message that can be read was found in it.',
    kept: 'Your library was not changed, and the session is not damaged.',
    do: 'Import the whole session folder: what was said is in the files “wire.jsonl” below “agents”.',
  },
  'import-unknown': {
    what: '$t(problems:import-unknown.whatOf.{{reason}}, {"defaultValue":"This is not an export Recollect knows."})',
    kept: 'Your library was not changed.',
    do: '$t(problems:import-unknown.doOf.{{reason}}, {"defaultValue":"Import a kimi-cli session folder or its ZIP, an export of ChatGPT, Claude.ai or Recollect, or a chat in Markdown or JSON that says who speaks."})',
    whatOf: {
      documents: 'These are documents, and no conversations.',
      messenger:
        'This is a chat among people, from a messenger. Recollect reads those in which a model speaks.',
      page: 'This is a web page without a conversation that can be read.',
    },
    doOf: {
      messenger:
        'Attach it to a message with the paper clip, or add it to a project under Files: memory reads and recalls it there.',
      page: 'Bring the export itself: in ChatGPT, Settings › Data controls › Export data; in Claude.ai, Settings › Privacy › Export data. The ZIP, conversations.json and the chat.html of a ChatGPT export are all read.',
      documents:
        'Attach them to a message with the paper clip, or add them to a project under Files: memory reads and recalls them there.',
    },
  },
  'import-binary': {
    what: '$t(problems:import-binary.whatOf.{{reason}}, {"defaultValue":"This file is not text and not a ZIP, so there are no conversations to read in it."})',
    kept: 'Your library was not changed.',
    do: '$t(problems:import-binary.doOf.{{reason}}, {"defaultValue":"Choose the export itself: a .zip, .json or .jsonl file, or the session folder."})',
    whatOf: {
      database: 'This is a database of another app (SQLite), which is not read. It is not damaged.',
      webarchive:
        'This is a file in a format of Apple (a web archive, for example), which is not read. It is not damaged.',
      zstd: 'This file is packed with Zstandard, which is not read. It is not damaged.',
    },
    doOf: {
      database:
        'Let that app write its chats out as JSON or Markdown (OpenCode: “opencode export”), then import those files.',
      webarchive:
        'Open the page in Safari and save it as page source (.html), or export the chats from the app itself.',
      zstd: 'Unpack it first (“zstd -d” and its name), then import the .jsonl file.',
    },
  },
  'import-broken': {
    what: 'The file is damaged or cut off, and nothing in it can be imported.',
    kept: 'Nothing of it was taken in. Your library was not changed.',
    do: 'Download the export again and hand over the new file.',
  },
  'import-too-large': {
    what: 'This is larger than what can be imported at once.',
    kept: 'Nothing of it was taken in. Your library was not changed.',
    do: 'Unpack it and import it in parts.',
  },
  'import-bomb': {
    what: 'This ZIP unpacks to far more than an export would. It was not unpacked.',
    kept: 'Your library was not changed.',
    do: 'If you trust it, unpack it yourself and import the files that matter.',
  },
  'import-nested': {
    what: 'In this ZIP there are only ZIPs, one within another, too deep for an export.',
    kept: 'Your library was not changed.',
    do: 'Unpack it first, then import the ZIP that lies in it.',
  },
  'import-encrypted': {
    what: 'This ZIP is protected by a password.',
    kept: 'Your library was not changed.',
    do: 'Unpack it with its password, then import the folder or the files in it.',
  },
  'import-newer': {
    what: 'This export comes from a newer version of Recollect.',
    kept: 'Nothing of it was taken in. Your library was not changed.',
    do: 'Reload the page to get the new version, then import it again.',
  },
  'import-empty': {
    what: 'There are no conversations and no notes in this file.',
    kept: 'Your library was not changed.',
    do: 'Check that this is the full export. Some services send a first mail without the data.',
  },
  'import-storage': {
    what: 'There is no room to import this.',
    kept: 'Nothing of it was taken in. Your library was not changed.',
    do: 'Make room or raise the limit under Settings › Storage, then import it again.',
  },
  'import-limit': {
    what: 'This import needs about {{needed, number}} MB more, and {{used, number}} MB of your limit of {{limit, number}} MB are taken.',
    kept: 'Nothing of it was taken in. Your library was not changed.',
    do: 'Raise the limit under Settings › Storage, or erase what you do not need, then import it again.',
  },
  'import-cut-off': {
    what: 'The import of “{{name}}” was cut off when its tab was closed.',
    kept: 'What had come in by then is in your library.',
    do: 'Import the same file again: what is here is recognised, and the rest comes in.',
  },
  'forget-no-words': {
    what: 'There is no word in it to look for.',
    kept: 'Nothing was changed.',
    do: 'Enter at least one word or number.',
  },
  'forget-busy': {
    what: 'Something else is being forgotten at the moment.',
    kept: 'Nothing of this was removed yet.',
    do: 'Wait until that is done, then try again.',
  },
  'export-too-large': {
    what: 'The conversation “{{title}}” is too large: an export of it could not be read back.',
    kept: 'Nothing was written, and your library was not changed.',
    do: 'Take the files out of that conversation, or export it as Markdown and the others by themselves.',
  },
  'command-unknown': {
    what: 'There is no command /{{name}}.',
    kept: 'What you wrote is still in the box.',
    do: '$t(problems:command-unknown.near_{{nearest}}, {"defaultValue":"Did you mean /{{nearest}}? Type / to see all commands."})',
    near_: 'Type / to see all commands.',
  },
  'command-argument': {
    what: '/{{command}}: “{{value}}” does not work as {{argument}}.',
    what_missing: '/{{command}} is missing its {{argument}}.',
    what_surplus: '/{{command}} takes nothing more; “{{value}}” is left over.',
    kept: 'What you wrote is still in the box.',
    do: '$t(problems:command-argument.allowed_{{allowed}}, {"defaultValue":"Allowed: {{allowed}}."})',
    allowed_: 'Type /help to see what each command takes.',
  },
  'command-scopes': {
    what: '/{{command}}: “{{value}}” asks for two things that exclude each other.',
    kept: 'What you wrote is still in the box.',
    do: 'Leave one of them out: with commas, a passage must meet every condition.',
  },
  'command-here': {
    what: '/{{command}}: this conversation has no folder, so “here” is nowhere.',
    kept: 'What you wrote is still in the box.',
    do: 'Leave “here” out, or use it in a conversation from a folder, such as an imported kimi-cli session.',
  },
  'command-flag': {
    what: '/{{command}} does not know {{flag}}.',
    kept: 'What you wrote is still in the box.',
    do: '$t(problems:command-flag.allowed_{{allowed}}, {"defaultValue":"It knows: {{allowed}}."})',
    allowed_: 'It takes no flags.',
  },
  'command-conversation': {
    what: 'There is no conversation here yet.',
    kept: 'What you wrote is still in the box.',
    do: 'This command is about a conversation: say something first, or open one.',
  },
  'setting-invalid': {
    what: '{{key}} cannot be {{value}}.',
    kept: 'The value that was in force stays in force.',
    do: 'Allowed: {{allowed}}.',
  },
  'setting-unknown': {
    what: 'There is no setting {{key}}.',
    kept: 'All settings are as they were.',
    do: 'There are: {{allowed}}.',
  },
  'lock-wrong': {
    what: 'That does not unlock this device.',
    kept: 'Nothing was changed; everything here is still encrypted and safe.',
    do: 'Try again. If you have forgotten the passphrase, use the 24 words you wrote down.',
  },
  'lock-wait': {
    what: 'Too many wrong tries.',
    kept: 'Everything here is still encrypted and safe.',
    do: 'You can try again in {{seconds, number}} s.',
  },
  'erase-failed': {
    what: 'Not everything on this device could be deleted.',
    kept: 'What is left is deleted at the next start.',
    do: 'Close all other tabs and windows of Recollect, then try again. The browser’s own settings for this site delete everything, too.',
  },
  'lock-phrase': {
    what: 'These are not the 24 words of a recovery phrase.',
    kept: 'Nothing was changed.',
    do: 'Check the spelling and the order: there are 24 English words, and one that is wrong is noticed.',
  },
  'lock-passkey': {
    what: 'The passkey did not unlock this device.',
    kept: 'Nothing was changed.',
    do: 'Try again, or use your passphrase. Not every passkey can do this: it has to support PRF.',
  },
  'lock-last': {
    what: 'This is the last way to unlock this device.',
    kept: 'It stays.',
    do: 'Add another one first, or turn locking off.',
  },
  'lock-busy': {
    what: 'Another window of Recollect is still open and busy.',
    kept: 'Nothing is lost; the change goes on at the next start.',
    do: 'Close the other windows of Recollect, then try again.',
  },
  'setting-pattern': {
    what: '{{value}} cannot be used as a pattern: it is not complete, it also fits nothing at all, or it could take very long on some texts.',
    kept: 'The patterns that were in force stay in force.',
    do: 'Use letters, \\d, [ ] and counts such as {2,6}. What follows * or + must differ from what they repeat; looking around and back-references are not possible.',
  },
  'settings-file': {
    what: 'This is not a configuration of Recollect.',
    kept: 'No setting was changed.',
    do: 'Choose a YAML file that Recollect exported.',
  },
  'settings-line': {
    what: 'The file cannot be read from line {{line, number}} on.',
    kept: 'No setting was changed.',
    do: 'Mend that line, or choose a YAML file that Recollect exported.',
  },
  'settings-nested': {
    what: 'This file is nested far deeper than any configuration of Recollect.',
    kept: 'No setting was changed.',
    do: 'Choose a YAML file that Recollect exported.',
  },
  'settings-twice': {
    what: '{{key}} is in the file twice: in line {{first, number}} and in line {{line, number}}.',
    kept: 'No setting was changed.',
    do: 'Delete one of the two and import the file again.',
  },
  'sync-unpaired': {
    what: 'This device belongs to no account yet.',
    kept: 'Everything is saved on this device.',
    do: 'Set sync up under Settings › Sync, or pair this device with another one.',
  },
  'sync-endpoint': {
    what: '{{endpoint}} is not the address of a relay.',
    kept: 'Nothing was changed.',
    do: 'Enter an address that begins with wss:// (or ws:// on your own network).',
  },
  'sync-link': {
    what: 'This pairing link is not complete.',
    kept: 'Nothing was changed.',
    do: 'Copy the whole link on the other device, or scan its QR code.',
  },
  'sync-phrase': {
    what: 'These are not the 24 words of an account.',
    kept: 'Nothing was changed.',
    do: 'Compare every word and their order with the other device. {{count, number}} words were entered; unknown: {{words}}',
  },
  'sync-no-account': {
    what: 'The relay has nothing that this key opens.',
    kept: 'Nothing was written or deleted, here or there.',
    do: 'Compare the words and the address of the relay with the other device, and let that device finish its first upload.',
  },
  'sync-offline': {
    what: 'The relay does not answer.',
    kept: 'Everything is saved on this device.',
    do: 'Check the connection and the address of the relay.',
  },
  'sync-refused': {
    what: 'The relay does not understand this device.',
    kept: 'Everything is saved on this device.',
    do: 'Reload the page to get the newest version; if it stays so, ask whoever runs the relay.',
  },
  'sync-auth': {
    what: 'The relay does not let this device in.',
    kept: 'Everything is saved on this device.',
    do: 'Check the address and the account with whoever runs the relay.',
  },
  'sync-quota': {
    what: 'The relay takes no more: the account is full there, or a conversation is larger than it allows.',
    kept: 'Everything is saved on this device; what the relay has is kept.',
    do: 'The log of Settings › Sync names the conversation. Ask for more room, or forget large conversations everywhere; then sync again.',
  },
  'sync-deleted': {
    what: 'This account was erased on the relay.',
    kept: 'Everything is saved on this device.',
    do: 'Choose “Start over” under Settings › Sync; your conversations stay here. If this device was locked out, pair it again after that.',
  },
  'sync-upgrade': {
    what: 'The relay needs a newer version of Recollect.',
    kept: 'Everything is saved on this device.',
    do: 'Reload the page to get the new version.',
  },
  'sync-rate': {
    what: 'The relay received too many requests and refuses more for a while.',
    kept: 'Everything is saved on this device.',
    do: 'Wait some minutes, then sync again.',
  },
  'sync-thread': {
    what: 'Sync does not run in this browser right now.',
    kept: 'Everything is saved on this device.',
    do: 'It is tried again every minute. If it stays so, reload the page, or close the other tabs of Recollect.',
  },
  'sync-unfetched': {
    what: 'Not everything of the account is on this device yet.',
    kept: 'Nothing was changed; no device was locked out.',
    do: 'Wait until sync has fetched everything, then try again.',
  },
  'sync-older': {
    what: 'When this device joined, the relay showed an older account than the other device had.',
    kept: 'This device has joined. What the relay gave out is here.',
    do: 'Open Recollect on the other device until it is up to date: it restores what the relay lacks. If the relay is not yours, ask whoever runs it.',
  },
  'conversation-missing': {
    what: 'This conversation is not here any more.',
    kept: 'Nothing else was touched.',
    do: 'It may have been erased here or on another device. Look in the trash under Settings › Storage.',
  },
  'conversation-ended': {
    what: 'This conversation was temporary.',
    kept: 'It has ended and left nothing, unless you kept it.',
    do: 'Start another one. A temporary conversation that is worth it can be kept while it lasts.',
  },
  'conversation-busy': {
    what: 'An answer is still being written in this conversation.',
    kept: 'Nothing was asked and nothing was changed.',
    do: 'Wait for its end or stop it, then try again.',
  },
  'tool-limit': {
    what: 'The model went on calling tools instead of answering, and was stopped after {{limit}} steps.',
    kept: 'All its calls and their results are in the conversation.',
    do: 'Ask again more narrowly, or allow more steps under Settings › Context.',
  },
  'checkpoint-unknown': {
    what: 'There is no checkpoint “{{name}}”.',
    kept: 'The conversation stays where it is.',
    do: 'Nearest names: {{nearest}}. /checkpoints lists all of them.',
  },
  'checkpoint-none': {
    what: 'There is no checkpoint to go back to yet.',
    kept: 'The conversation stays where it is.',
    do: 'Name this place with /checkpoint, or ask on: every question after the first can be gone back to.',
  },
  'compaction-failed': {
    what: 'Older messages could not be shortened: {{detail}}',
    kept: 'Nothing was changed. All messages are where they were.',
    do: 'Try again, or choose another strategy: /compact --strategy session-memory needs no model.',
  },
  'compaction-fallback': {
    what: 'The summary by {{wanted}} did not work out ({{detail}}), so {{strategy}} was used instead.',
    kept: 'No message was lost; the conversation continues.',
    do: 'Read the summary at the divider. You can undo it, or rewrite it with guidance.',
  },
  'message-missing': {
    what: 'This message is not here any more.',
    kept: 'The rest of the conversation is complete.',
    do: 'It may have been forgotten. Open the conversation to read what is around it.',
  },
  'message-too-large': {
    what: 'This message is too large to be kept.',
    kept: 'It is still in the box.',
    do: 'Shorten it, or add the long part as a file.',
  },
  'note-empty': {
    what: 'A memory note needs words.',
    kept: 'Nothing was changed.',
    do: 'Write what is to be remembered, or delete the note.',
  },
  'note-too-long': {
    what: 'The note has {{length}} characters; a memory note holds {{limit}}.',
    kept: 'Nothing was changed, and your words are still in the field.',
    do: 'Shorten it, or make two notes of it.',
  },
  'project-name': {
    what: 'This name cannot be used for a project.',
    kept: 'What you typed is still there, and nothing was changed.',
    do: 'Give it a name of 1 to {{limit}} characters.',
  },
  'project-text': {
    what: 'This text is empty or longer than a project can keep.',
    kept: 'What you wrote is still there, and nothing was changed.',
    do: 'Use at most {{limit}} characters, and at most 50 notes. Long texts can be added as files.',
  },
  'project-nested': {
    what: 'A project inside another one cannot hold projects itself.',
    kept: 'Nothing was moved.',
    do: 'Choose a project that is not inside another one.',
  },
  'project-missing': {
    what: 'This project is not there any more.',
    kept: 'Its conversations are all still in your library.',
    do: 'Look in the trash: a deleted project can be restored from there.',
  },
  'prompt-empty': {
    what: 'A prompt needs a name and words, a persona a name.',
    kept: 'Nothing was changed.',
    do: 'Fill in what is empty.',
  },
  'prompt-too-long': {
    what: 'The text has {{length}} characters; there is room for {{limit}}.',
    kept: 'Nothing was changed, and your words are still in the field.',
    do: 'Shorten it, or make two of it.',
  },
  'prompt-file': {
    what: '{{name}} has no prompts or personas that can be read.',
    kept: 'What you have is as it was.',
    do: 'Choose a file of Recollect, Open WebUI or LibreChat (JSON), or prompts as Markdown or text.',
  },
  'vault-unavailable': {
    what: 'The browser cannot encrypt keys on this device.',
    kept: 'All conversations are safe. The key was not kept.',
    do: 'Open the page over https or on localhost, and leave private browsing.',
  },
  'part-missing': {
    what: 'This part of the app could not be loaded.',
    kept: 'Everything that was saved is safe, and so is what you are writing.',
    do: 'Reload the page: perhaps a newer version has taken over in another tab. If that does not help, look whether you are online.',
  },
  unexpected: {
    what: 'Something happened that Recollect did not expect.',
    kept: 'Everything that was saved is safe.',
    do: 'Try again. If it comes back, copy the details and report it.',
  },
};
