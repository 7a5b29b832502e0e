// What a model asks that it may have been told before, answered so that only memory knows, over
// the library of everyday conversations.

/** Conversation that has it, question of the model, answer of the person. */
export type Asked = readonly [right: string | null, question: string, answer: string];

/** The answer says nothing. */
export const EMPTY: readonly Asked[] = [
  ['cake', 'Is there anything Anna is allergic to?', 'You know that already'],
  ['plumber', 'Who fixed the kitchen tap last time?', 'The same man'],
  ['plumber', 'How much did the plumber charge you for the kitchen tap?', 'I forgot'],
  ['wifi', 'Which wifi channel is your router fixed to?', 'The usual one'],
  ['doctor', 'How often do you take the iron tablets?', 'As the doctor said'],
  ['gym', 'What weight do you use for the bench press?', 'Same as always'],
  ['car', 'Where do you buy your tyres?', 'At the usual place'],
  ['car', 'When is the inspection of your car due?', 'As every year'],
  ['spanish', 'What is the name of your Spanish tutor?', 'I told you already'],
  ['spanish', 'On which day do you meet your Spanish tutor?', 'As always'],
  ['passport', 'When is your passport appointment?', 'I mentioned it before'],
  ['passport', 'When does your passport run out?', 'No idea'],
  ['cat-sitter', 'Who looks after the cat while you are away?', 'The usual person'],
  ['cat-sitter', 'Where does Miso hide from strangers?', 'In the usual spot'],
  ['soup', 'How many people do you cook the pumpkin soup for?', 'As last time'],
  ['python', 'What should happen to photos without EXIF data?', 'Like before'],
  ['mix-laptop', 'Which laptop did you buy for your sister?', 'The one we talked about'],
  ['zh-allergy', '小宝对什么过敏？', '老样子'],
  ['zh-allergy', '小宝现在吃的是什么药？', '之前说过的'],
  ['zh-run', '你上次十公里跑了多少时间？', '上次说过'],
  ['zh-meeting', '你的周报每周几点要发？', '跟以前一样'],
  ['zh-mahjong', '奶奶最喜欢你送的哪个礼物？', '我说过'],
  ['zh-cat', '团子是因为什么不吃猫粮的？', '老毛病'],
  ['zh-lease', '房东最后扣了多少押金？', '忘了'],
  ['zh-router', '家里拨号的账号密码怎么重置？', '和上次一样'],
  ['mix-laptop', '你给妹妹买的是哪台电脑？', '就是那台'],
  ['mix-visa', '您办日本签证需要多少流水？', '照旧'],
  ['mix-insurance', '航班延误保险最后赔了多少钱？', '不记得了'],
];

/** The answer says which thing is meant, and not what was asked. */
export const TELLING: readonly Asked[] = [
  ['passport', 'Which appointment do you mean?', 'The one for the passport'],
  ['passport', 'Which documents do you need to bring?', 'Those for the new passport'],
  ['car', 'How much did it cost?', 'The tyres for the Fiesta, you know'],
  ['plumber', 'What did he charge?', 'Mr. Osei, for the tap'],
  ['doctor', 'What was the value?', 'My ferritin, from the blood test'],
  ['spanish', 'Who is it with, and when?', 'With my Spanish tutor'],
  ['wifi', 'Which channel was it?', 'The stable one for the wifi in the bedroom'],
  ['cake', 'What must not be in it?', "What Anna can't have, for her cake"],
  ['cat-sitter', 'Who will do that?', 'The neighbour who looks after Miso'],
  ['zh-run', '那次用了多少时间？', '五月底的十公里'],
  ['zh-lease', '最后扣了多少？', '退租的押金'],
  ['zh-mahjong', '送的是什么？', '奶奶八十岁的礼物'],
  ['zh-allergy', '吃的是什么药？', '小宝芒果过敏那次'],
  ['mix-laptop', '买的是哪台？', '给妹妹上大学用的电脑'],
];

/** It was never said. */
export const STRANGE: readonly Asked[] = [
  [null, 'Which database does your project use?', 'The usual one'],
  [null, 'What time zone are you in?', 'As always'],
  [null, 'How many people will attend the meeting?', 'As last time'],
  [null, 'What is your budget for the trip?', 'The usual'],
  [null, 'Which city do you live in?', 'You know that'],
  [null, 'What shoe size do you wear?', 'Same as always'],
  [null, 'Which operating system runs on your server?', 'The usual one'],
  [null, 'When is the deadline of the report?', 'I told you'],
  [null, 'Which colour should the wall be?', 'Like before'],
  [null, 'Do you want it in TypeScript or in Python?', 'As always'],
  [null, 'Who is your landlord?', 'The same man'],
  [null, 'How old is your daughter?', 'You know that already'],
  [null, 'What is your phone number?', 'I mentioned it before'],
  [null, 'Which framework do you use, React or Vue?', 'The one we talked about'],
  [null, '您住在哪个城市？', '老样子'],
  [null, '你们项目用的是什么数据库？', '跟以前一样'],
  [null, '你喜欢什么颜色？', '之前说过的'],
  [null, '这份报告的截止日期是哪天？', '照旧'],
  [null, '您的手机号是多少？', '说过了'],
  [null, '你的服务器是什么操作系统？', '和上次一样'],
];
