// English sentences by the kind of note they would make, and by topic. All written for this project.
export const EXAMPLES_EN = `
# rule answers
Always answer in English, even when I write in German.
From now on, be brief.
Never use exclamation marks in your replies to me.
Please don't add a summary at the end of each answer.
Reply with the code only, no explanation.
Keep your answers to three sentences at most.
Call me Sam, not Samuel.
Cite your sources whenever you state a number.
Ask me before you assume anything.
I want you to be blunt with me, no flattery.
Use plain words, I'm not an expert.
In our chats, dates are written day first.
Tell me when you don't know something.
Numbers in your answers should have a thousands separator.
Please talk to me like a colleague, not like a customer.
No tables in your answers, they break on my phone.
Start with the conclusion, then the reasons.
Going forward, give me temperatures in Celsius.
You may not guess; if it is unclear, ask.
Skip the introductions and get to the point.
# rule code
Always write tests before the implementation.
TypeScript is strict in all our packages.
Never push directly to main.
We don't allow any new dependencies without a discussion.
All SQL goes through the query builder, no raw strings.
Don't touch the generated files.
Code comments are in English only.
Every endpoint needs authentication.
Secrets are read from the vault and never from environment files.
Use four spaces for indentation in this project.
Functions stay below forty lines.
No deploys on Fridays.
The staging database must not be dropped.
Errors are logged with the request id, always.
Use pnpm here, not npm.
Public functions must have type annotations.
Nobody gets to restart the cluster without telling ops first.
Branch names start with the ticket number.
Run the linter before every commit.
It has to work on Node 18, that is a hard requirement.
# rule writing
My articles are written in British English.
Never sign my mails with "Best".
Avoid the passive voice in anything you write for me.
Emails to customers are always checked by legal.
Headlines have at most eight words.
Use the Oxford comma in all texts.
The tone of our newsletters stays friendly and calm.
Do not use the word "synergy" in our texts.
Quotations must have a page number.
Letters to the authority go out in formal language only.
# rule food
No meat in any recipe you give me.
Only suggest meals that take less than thirty minutes.
In our house dinner is without screens.
Nuts are not allowed in the kitchen because of our son.
Recipes for me must be halal.
I must not have more than two grams of salt a day.
# rule health
I'm not allowed to lift anything heavy until June.
No training on Sundays, my doctor insists.
I may take no painkillers other than paracetamol.
Medicines are kept out of reach of the children, always.
# rule travel
We never book flights with a stopover.
Trips with the kids take four hours at most.
Only refundable tickets, please.
On business trips we have to use the company card.
# rule time
Don't schedule anything before ten in the morning.
Wednesdays are off limits for meetings.
No calls on weekends, without exception.
All times are to be given in UTC.
Reminders have to come two days ahead.
# rule money
The total must stay under twelve hundred euros.
Every purchase above 200 needs my approval.
We don't buy anything on credit.
Quotes always need to include VAT.
Do not exceed the monthly budget of 300 dollars.
# rule people
Don't mention politics when my father is around.
Never share my phone number with anybody.
Photos of the children must not be posted.
Nobody is to know about the surprise party.
# rule home
Shoes stay outside, that's the rule at our place.
The heating must not go above twenty degrees.
No drilling after eight in the evening.
The dog is not allowed on the sofa.
# preference answers
I prefer short answers.
I like it when you explain things step by step.
I would rather see an example than a definition.
Lists are easier for me to read than prose.
I love analogies from everyday life.
I'd like a diagram where possible.
Long introductions annoy me.
Dry humour is welcome.
# preference code
I prefer functional style over classes.
I like small commits.
I'd rather use a library than write it myself.
Vim is my editor of choice.
I don't like long functions.
I favour composition over inheritance.
Python is the language I enjoy most.
I tend to write types first.
Monorepos make my life easier.
# preference writing
I like short sentences in my texts.
I prefer a casual tone in emails to the team.
Serif fonts look better to me.
I love a headline that asks a question.
My style is rather dry and factual.
# preference food
I love spicy food.
My favourite dish is lasagne.
I don't like mushrooms.
I hate olives.
I'd pick tea over coffee any time.
I usually skip breakfast.
Sweet things are not my thing.
I'm crazy about fresh mango.
I can't bear the smell of fish.
# preference health
I prefer swimming to running.
I like to exercise in the evening.
Yoga does me good.
I'd rather walk than take the bus.
I'm no friend of tablets, I try tea first.
# preference travel
I like to sit in the front of the bus.
I prefer mountains to the sea.
We love camping.
Big hotels are not for us.
I'd rather drive at night.
City breaks are what I enjoy most.
# preference time
I work best late at night.
I like to have my afternoons free.
I'm a morning person.
Short meetings suit me best.
I prefer to be asked a week in advance.
# preference money
I'd rather buy used than new.
I like paying by card.
I prefer a fixed price to an hourly rate.
Quality matters more to me than price.
# preference people
I enjoy being alone.
Small groups are more my thing than big parties.
I like people who listen.
I prefer a message to a phone call.
# preference home
I love plants in every room.
I prefer wood floors to carpet.
Bright colours make me nervous at home.
I like it tidy on my desk.
# preference none
My favourite author is Le Guin.
I listen to jazz most of the time.
I love black and white films.
Crime novels are my guilty pleasure.
I'm more of a cat person.
I don't care for football.
# fact answers
My mother tongue is Turkish.
I'm a beginner in statistics.
I have no background in law.
I'm dyslexic, so long texts are hard for me.
I read you with a screen reader.
# fact code
Our backend runs on Go 1.22.
I use a Mac with an M1 chip.
Our server has 16 GB of memory.
My GitHub handle is larkspur.
Our database listens on port 5433.
We host everything at a provider in Finland.
I've been programming for twelve years.
The company uses GitLab.
I work on Windows with WSL.
# fact writing
I have published two novels.
I write for a local newspaper.
My pen name is R. Holt.
I'm the editor of our club magazine.
# fact food
I'm allergic to shellfish.
I am vegan.
I have coeliac disease and can't eat gluten.
I don't drink alcohol.
I can't eat dairy.
I've been a vegetarian for ten years.
We have an induction stove and no oven.
I get a rash from strawberries.
I'm diabetic.
# fact health
I'm allergic to penicillin.
I have asthma.
I wear glasses, minus four.
I broke my ankle last winter.
I take medication for my thyroid.
I have been on crutches since the accident.
I suffer from hay fever in spring.
My resting pulse is 52.
I'm deaf in one ear.
# fact travel
I have a German passport.
I don't have a driving licence.
I'm afraid of flying.
I live ten minutes from the station.
I get seasick easily.
We own a small camper van.
# fact time
I work part-time, Monday to Wednesday.
My birthday is on the 12th of August.
I'm on night shift every other week.
I live in the Pacific time zone.
The kids have holidays from July on.
# fact money
I earn 3,200 euros after tax.
Our rent is 1,150 a month.
I have a student loan of 20,000 dollars.
I'm self-employed.
We pay our insurance once a year.
# fact people
I'm married and have two children.
I'm an only child.
I'm divorced.
I grew up with my grandparents.
I have a twin brother.
# fact home
We rent a three-room flat in Hamburg.
I live alone with my dog.
We have a small garden that faces north.
Our house was built in 1932.
We heat with wood pellets.
The flat has no balcony.
# fact none
I'm 34 years old.
My name is Priya.
I'm from Chile and live in Madrid.
I work as a physiotherapist.
I study law in my fourth semester.
I used to be a pilot.
I speak Spanish and Catalan.
I play the cello in an amateur orchestra.
I'm a retired teacher.
I moved here five years ago.
I work for a bank in Zurich.
My height is 1.70 m.
I have a degree in biology.
# person people
My wife is called Hannah.
My husband works as a carpenter.
My son Theo is six.
My boss is Karin Vogel.
My mother lives in a care home.
My girlfriend is from Brazil.
My best friend Luca is getting married.
My little sister is studying medicine.
Our daughter plays the violin.
My father was born in 1950.
My in-laws come every Christmas.
Aunt Greta is deaf.
My cousin runs a bakery.
My flatmate's name is Jo.
My nephew loves trains.
Our neighbours have three dogs.
My grandmother is 91.
# person code
Marek maintains the build scripts.
Our team lead is Aisha.
Chen is the one who knows the payment code.
Ask Olga about the servers, she set them up.
The designer on our team is named Finn.
Our product manager sits in Toronto.
# person food
My son can't eat eggs.
My girlfriend is vegan.
My father hates garlic.
Our guest Emil doesn't eat pork.
# person health
My doctor is Dr Stein.
My mother has a pacemaker.
My husband is allergic to bees.
My daughter has asthma.
My trainer at the gym is called Rico.
# person money
Our tax adviser is Ms Behrens.
Mr Okafor at the bank looks after our loan.
My accountant is named Victor.
# person time
My assistant Tina keeps my calendar.
My partner works nights.
My kids are at their dad's on Wednesdays.
# person home
Our landlord is Mr Wagner.
The caretaker, Goran, lives on the ground floor.
Mrs Ito cleans for us on Fridays.
# person travel
My friend Anouk lives in Marseille.
My brother moved to Toronto.
My parents don't fly any more.
# person writing
My editor is called Simone.
Dora proofreads all my texts.
# project code
I'm building a budgeting app in Swift.
We are migrating our monolith to services.
The project is called Falcon and replaces the old CRM.
I'm writing a compiler for fun.
Our team develops software for hospitals.
I maintain an open source library for maps.
We're rewriting the checkout this quarter.
I'm developing a plugin for a photo editor.
My side project is a chatbot for a library.
I work on a search engine for legal texts.
# project writing
I'm writing a novel set in Iceland.
My dissertation is on medieval trade.
I'm preparing a talk on urban gardens.
I write a blog about board games.
We are producing a podcast on local history.
I'm working on a children's book about a whale.
My bachelor's thesis deals with solar cells.
# project home
We're renovating our kitchen.
I'm building a tree house for the kids.
We are planting an orchard behind the house.
I'm converting the attic into an office.
I'm building a greenhouse this spring.
# project travel
We're planning a trip to Japan in spring.
I'm preparing for a hike across the Alps.
We want to sail around the Baltic next year.
# project health
I'm training for a marathon in October.
I'm learning to swim.
I'm trying to lose ten kilos by summer.
# project people
I'm organising a reunion of our class.
We're planning our wedding for next June.
I volunteer for a project that helps refugees.
We are starting a choir in the village.
# project money
I'm opening a café with a friend.
We are raising money for a start-up.
I'm saving for a house.
We sell handmade soap in an online shop.
# project none
I'm learning Korean.
I'm restoring an old motorbike.
I'm studying for the bar exam.
I'm teaching a course on photography.
Our lab investigates how bees navigate.
We are making a documentary on rivers.
# decision code
We decided to go with React.
We chose Postgres over MySQL.
The API will be versioned by header.
We're dropping support for Python 3.8.
We agreed to keep the monolith.
Let's use Redis for the cache, agreed.
The port is 8081 now, not 8080.
We've switched from Jest to Vitest.
The release is postponed to the 20th.
It's final: the service will be written in Rust.
# decision writing
The title of the book will be "Salt".
We agreed to cut chapter four.
I've decided to publish it myself.
We go with the second draft.
# decision food
We'll have the buffet at the party.
I've decided to give up sugar.
We're going with the Italian caterer.
# decision health
I've decided to have the operation.
I'm quitting smoking on Monday.
I signed up for physiotherapy.
# decision travel
We decided on Norway.
We're taking the ferry instead of the plane.
The flight is booked for the 3rd of July.
I've picked the apartment near the beach.
# decision time
The meeting is moved to Tuesday at four.
We agreed on the 14th for the workshop.
The wedding will be in September.
From next month on we meet every two weeks.
# decision money
We'll take the loan from the credit union.
I've decided to sell the car.
We chose the cheaper offer.
The price will be 49 euros.
We are not buying the house.
# decision people
We're naming the baby Ida.
We decided not to invite my uncle.
Clara is going to lead the team.
We hired the second applicant.
# decision home
We're painting the living room green.
We decided against a heat pump.
We chose oak for the floor.
We're keeping the old windows.
# decision none
I'm going to study in Vienna.
I've accepted the job in Berlin.
I made up my mind to learn the piano.
We're getting a cat.
In the end I chose the second option.
# none answers
Explain that again, more slowly.
What do you mean by that?
Can you say that in one sentence?
That answer was too long.
Thank you very much.
Okay, go ahead.
Yes, please.
Good morning!
Can you be more precise?
You misunderstood me.
Which language are you written in?
What did you say about that earlier?
# none code
Write a function that sorts a list of names.
Why does this test fail?
Refactor this class, please.
The build failed again.
Here is the stack trace.
Set up a web server with one route.
Convert this JSON to CSV.
How do I undo the last commit?
Write a regular expression for email addresses.
The page loads slowly.
I get an error when I run it.
Add a dark mode to the page.
Create a script that backs up a folder.
What is a race condition?
The server must be down.
Review this pull request.
Implement a parser for dates.
This function returns the wrong value.
I ran the tests and two of them failed.
The variable is never used.
How can I speed up this query?
The library always throws in this case, I have no idea why.
# none writing
Write an email to my landlord about the leak.
Draft an invitation for the summer party.
Correct the grammar of this paragraph.
Translate this into French.
Write a poem about the sea.
Shorten this text to half.
Give me a better title.
Write a cover letter for this job.
Summarise the text below.
Write a product description for this lamp.
The author says that one should never trust a narrator.
Proofread my article.
# none food
What can I cook tonight?
Give me a recipe for pancakes.
How long do I boil an egg?
Suggest a restaurant for tomorrow.
The soup was too salty.
What goes well with salmon?
We had dinner at a nice place yesterday.
Plan a menu for six guests.
I ate too much.
Which wine goes with cheese?
# none health
What helps against a cold?
My head hurts today.
How much should I drink a day?
Is running bad for the knees?
Make me a workout plan.
I slept badly last night.
What can I take for back pain?
I feel tired today.
How many calories does an apple have?
# none travel
Plan a weekend in Prague.
How do I get to the airport?
Which hotel is close to the beach?
The flight was delayed by two hours.
Is it cold in Oslo in May?
What should I see in Lisbon?
Book me something nice for the weekend.
We were in Spain last year.
What should I pack for a week by the sea?
# none time
When is Easter this year?
Find a time for our meeting next week.
What day is it today?
The call took an hour.
How many days are left until Christmas?
Make a timetable for my week.
I was late this morning.
# none money
How much is 300 dollars in euros?
Which laptop should I buy?
Is it a good time to buy shares?
The bill was higher than expected.
What does a new roof cost?
How can I save on electricity?
Compare these two offers.
# none people
What should I give my mother for her birthday?
How do I apologise to a friend?
He said he never wanted to see her again.
She always forgets her keys.
They decided to break up.
My colleague was in a bad mood today.
What is a good name for a girl?
Write a toast for the wedding of a friend.
My friend told me a funny story.
# none home
How do I get wax out of a carpet?
Which colour suits a small bathroom?
The washing machine is making noise.
How often should I water a cactus?
The light in the hall is broken.
Which plants survive in the shade?
How do I fix a dripping tap?
# none none
What is the capital of Australia?
The Roman Empire fell in 476.
It rained the whole weekend.
Who invented the telephone?
I watched a film last night.
That's funny.
I'm not sure about that.
I don't understand.
Let me check.
Water boils at 100 degrees.
You must be joking.
I never thought of it that way.
It always rains when I have time off.
I have a question about history.
The book is about two sisters.
Nobody knows for sure.
I just got home.
What would happen if the moon disappeared?
I think you are right.
I saw a fox this morning.
The results were better than last year.
If I lived in Paris I would walk everywhere.
People should be kinder, the article says.
My computer is slow today.
I will try that tomorrow.
The teacher told us to read the book.
Experts recommend eight hours of sleep.
# none none
The manual recommends an oil change every year.
According to the report, sales doubled.
The website states that tickets must be printed.
The professor claims that grammar should always come first.
He said we should never trust the forecast.
They prefer to be paid in cash, he told me.
In the story the prince must not speak for a year.
The hero always carries an umbrella.
The villain never sleeps.
Studies show that people like symmetry.
My teacher used to say that practice makes perfect.
Most customers want a quick reply, it says here.
The law requires a helmet.
Don't worry about it.
Take your time.
Never mind.
No problem at all.
No hurry.
Good idea, I like it.
I love this!
Great, continue like that.
You're always so helpful.
I was at the garage and it cost a fortune.
I've been waiting for an hour.
I spent the afternoon cleaning up.
I dropped my phone.
We got lost on the way.
I made soup yesterday.
It hurts when I press here.
I'm hungry.
I feel a little sick after the ride.
The neighbours were loud last night.
My sister called yesterday.
Somebody rang the bell.
I think it is a caching problem.
I suspect the driver.
Apparently he is going to resign.
She chose the red dress.
The committee rejected the plan.
The museum was founded in 1890.
The river is 300 kilometres long.
Cats sleep most of the day.
If I were rich I would buy a boat.
Suppose I only had ten days.
Imagine you are a pirate.
Pretend that you don't know me.
Maybe I'll read for a while.
I could try it with another browser.
Let me sleep on it.
I'm looking at the second screenshot.
# none code
Line 40 raises a type error.
The endpoint answers with 404.
The container exits immediately.
The documentation says to call close at the end.
The compiler must have cached it.
The loop never terminates.
The branch was deleted.
Step two fails with a timeout.
The log shows nothing unusual.
Run it again with the verbose flag.
Paste the output here.
Rename the variable to total.
Only the first row is returned.
The button doesn't do anything.
Undo that last change.
Make the font larger.
# preference none
I get more out of books than of films.
Trains over planes, any day.
I would take silence over music.
The fewer people, the happier I am.
The simpler the better for me.
Crowds wear me out.
Nothing beats a hot shower in the morning.
Give me winter and I'm happy.
# fact none
There are four of us in the family.
Three cats live with us.
I've got a bad back.
My hearing is not what it used to be.
I have a mortgage until 2035.
We've been married since 2008.
My French is rusty.
I never learned to drive.
I'm in my third year of training as an electrician.
We moved from Perth to Leeds in 2020.
My lease ends in November.
I had my appendix removed as a child.
The car we drive is an old Volvo.
# person none
The one in charge of travel is Ms Roth.
My youngest goes to nursery.
My ex lives in Bristol.
Ben and Judy, our friends from college, are coming every summer.
Our babysitter is called Milla.
Grandma has trouble walking.
My sister-in-law is a lawyer.
My team mate Ola is on parental leave.
# project none
Bit by bit I'm turning the cellar into a workshop.
What keeps me busy this year is a history of our village.
I've been building a weather station since spring.
We run a small theatre group.
I'm hoping to finish my pilot training this year.
At work we're putting together a new intranet.
# decision none
So it's going to be the blue one.
That's settled: we move in April.
We end the contract at the end of the year.
I've signed up for the evening course.
Option C then.
The second one it is.
We're done with the old supplier, from now on it's the one in Leeds.
I've ordered the grey sofa.
# rule none
Hard limit for the whole thing is 5,000.
No sugar in anything for the kids.
Politics is banned at the dinner table.
The archive stays as it is.
Replies in Spanish from now on.
Invoices are paid within two weeks, every time.
One hour of games a day and no more.
Backups run every night, no exceptions.
Leave the header alone.
Warn me before anything gets overwritten.
Mark everything you are unsure of.
Anyone who changes the schema tells the team first.
`;
